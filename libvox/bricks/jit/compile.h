// Compiles generated text (jit/source.h) to an image.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace vox::bricks {

// A cache of compiled images in $XDG_CACHE_HOME/vox or ~/.cache/vox. An image's name is a hash of
// everything from which it was made. Nothing relies on the cache: an image that is missing or damaged is
// compiled again.

using JitImage = std::vector<std::byte>;

// Returns the cached image for these two texts, which contain everything on which the image depends. If there
// is none, returns the image that `compile` makes, and caches it. A file holds the image, followed by a hash
// of the image and of the texts.
JitImage cached_image(std::string_view source, std::string_view compiler,
                      const std::function<JitImage()>& compile);

// Makes a shared object with a C++ compiler: `compiler`, or $CXX if that is empty, or c++. Throws Error if
// there is no such compiler, or if it fails.
JitImage compile_for_cpu(const std::string& source, const std::string& compiler = {});

// Makes code for GPUs of this compute capability (90 for 9.0) with NVRTC, which is loaded when it is first
// needed. Throws Error if there is no NVRTC, or if it fails.
JitImage compile_for_gpu(const std::string& source, uint32_t capability);

bool has_nvrtc();

}  // namespace vox::bricks
