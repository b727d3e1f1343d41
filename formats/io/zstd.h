// Zstandard, if the build has its library: the size that bytes have after compression, and decompression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace vox {

// Returns a function that compresses bytes in pieces of a MiB, at level 19 and on all cores, and returns the compressed
// size. In a build without libzstd, the log says so, and an empty function is returned.
std::function<uint64_t(std::span<const uint8_t>)> zstd_size_or_none();

// Fills `to` with the bytes of compressed data. Throws Error if the data is damaged or has another number of bytes,
// and in a build without libzstd.
void unpack_zstd(std::span<const std::byte> packed, std::span<std::byte> to);

}  // namespace vox
