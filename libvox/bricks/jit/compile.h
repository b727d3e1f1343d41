// Compilers of generated text (jit_source.h).
#pragma once

#include <string>

#include "libvox/bricks/jit/cache.h"

namespace vox::bricks {

// A shared object, by a C++ compiler: `compiler`, where it is not empty, else $CXX, else c++. Throws Error
// where there is none, or it fails.
JitImage compile_for_cpu(const std::string& source, const std::string& compiler = {});

// Code for GPUs of this compute capability (90 for 9.0), by NVRTC, which is loaded when it is first needed.
// Throws Error where there is none, or it fails.
JitImage compile_for_gpu(const std::string& source, uint32_t capability);

bool has_nvrtc();

}  // namespace vox::bricks
