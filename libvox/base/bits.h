// Bit counting on both devices.
#pragma once

#include <bit>
#include <cstdint>

#include "libvox/base/hd.h"

namespace vox {

VOX_HD inline int popcount(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __popc(bits);
#else
  return std::popcount(bits);
#endif
}

VOX_HD inline int popcount(uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __popcll(bits);
#else
  return std::popcount(bits);
#endif
}

// Index of the lowest set bit; bits != 0.
VOX_HD inline int lowest_bit(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}

VOX_HD inline int lowest_bit(uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}

// Asks for a cache line that will be read soon.
VOX_HD inline void prefetch_line(const void* at) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
#else
  __builtin_prefetch(at);
#endif
}

}  // namespace vox
