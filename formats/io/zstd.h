// The size of bytes after Zstandard, if the build has its library.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace vox {

// Returns a function that compresses bytes a MiB at a time, at level 19 and on all cores, and returns their size. In a build
// without libzstd it says so in the log and returns an empty function.
std::function<uint64_t(std::span<const uint8_t>)> zstd_size_or_none();

}  // namespace vox
