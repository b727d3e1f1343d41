// HDF5's checksum, the 32-bit Fletcher checksum: two sums modulo 2^16 − 1 over the 16-bit words of a piece of
// memory, in big-endian order. In the second sum each word is multiplied by the number of words from it to
// the end. A sum that is a multiple of the modulus is stored as 2^16 − 1, unless all words are 0.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace vox {

inline constexpr uint64_t kFletcher32Bytes = 4;

// Returns the bytes that HDF5 stores behind a chunk of an even number of bytes.
std::array<uint8_t, kFletcher32Bytes> fletcher32(std::span<const uint8_t> bytes);

}  // namespace vox
