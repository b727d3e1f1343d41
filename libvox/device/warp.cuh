// Sums and maxima over the 32 lanes of a warp, all of which must take part. GPUs before compute capability
// 8.0 have no instruction for them.
#pragma once

#include <cstdint>

namespace vox::device {

namespace detail {

template <class Combine>
__device__ uint32_t warp_reduce(uint32_t value, Combine combine) {
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;
}

}  // namespace detail

__device__ inline uint32_t warp_sum(uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffff, value);
#else
  return detail::warp_reduce(value, [](uint32_t a, uint32_t b) { return a + b; });
#endif
}

__device__ inline uint32_t warp_max(uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffff, value);
#else
  return detail::warp_reduce(value, [](uint32_t a, uint32_t b) { return a > b ? a : b; });
#endif
}

}  // namespace vox::device
