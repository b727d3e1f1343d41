// Compiles generated text (jit/source.h) to an image.
#pragma once

#include <string>

#include "libvox/bricks/jit/cache.h"

namespace vox::bricks {

// Makes a shared object with a C++ compiler: `compiler` if it is not empty, otherwise $CXX, otherwise c++.
// Throws Error if there is no such compiler, or if it fails.
JitImage compile_for_cpu(const std::string& source, const std::string& compiler = {});

// Makes code for GPUs of this compute capability (90 for 9.0) with NVRTC, which is loaded when it is first
// needed. Throws Error if there is no NVRTC, or if it fails.
JitImage compile_for_gpu(const std::string& source, uint32_t capability);

bool has_nvrtc();

}  // namespace vox::bricks
