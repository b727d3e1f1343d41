// HDF5's checksum, Fletcher's of 32 bits: two sums modulo 2^16 − 1 of the 16-bit words of a piece of memory, of
// which the high byte comes first; in the second sum a word counts as often as there are words from it to the
// end. A sum that the modulus divides is 2^16 − 1, unless all words are 0.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace vox {

inline constexpr uint64_t kFletcher32Bytes = 4;

// The bytes that HDF5 puts behind a chunk of an even number of bytes.
std::array<uint8_t, kFletcher32Bytes> fletcher32(std::span<const uint8_t> bytes);

}  // namespace vox
