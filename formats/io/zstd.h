// The size that bytes have after compression with Zstandard, if the build has its library.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace vox {

// Returns a function that compresses bytes in pieces of a MiB, at level 19 and on all cores, and returns the compressed
// size. In a build without libzstd, the log says so, and an empty function is returned.
std::function<uint64_t(std::span<const uint8_t>)> zstd_size_or_none();

}  // namespace vox
