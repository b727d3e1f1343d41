// A clock in a unit of its own. It serves only to compare how long pieces of work on one device take.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <chrono>
#endif

namespace vox::device {

VOX_HD inline uint64_t ticks() {
#if defined(__CUDA_ARCH__)
  return static_cast<uint64_t>(clock64());
#elif defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

}  // namespace vox::device
