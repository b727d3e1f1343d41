// A group of 32 lanes on the GPU: a warp. The same calls as CpuGroup.
#pragma once

#include <cstdint>

#include "libvox/device/atomics.h"

namespace vox {

struct CudaGroup {
  static constexpr uint32_t kLanes = 32;
  static constexpr uint32_t kAtOnce = 1 << 14;  // groups that may run at the same time, at most
  static constexpr uint32_t kAll = 0xffffffff;

  __device__ static uint32_t lane() { return threadIdx.x & 31; }

  template <class F>
  __device__ uint32_t ballot(F f) const {
    return __ballot_sync(kAll, f(lane()));
  }

  template <class F>
  __device__ void each(uint32_t count, F f) const {
    for (uint32_t i = lane(); i < count; i += kLanes) f(i);
    __syncwarp();
  }

  template <class F>
  __device__ auto once(F f) const {
    using Result = decltype(f());
    uint32_t result = 0;
    if (lane() == 0) result = static_cast<uint32_t>(f());
    return static_cast<Result>(__shfl_sync(kAll, result, 0));
  }

  __device__ uint32_t match_bytes(const uint32_t* bytes, uint32_t value) const {
    return __ballot_sync(kAll, (bytes[lane() / 4] >> lane() % 4 * 8 & 0xff) == value);
  }

  __device__ uint32_t match_shared_bytes(const uint32_t* bytes, uint32_t value) const {
    return __ballot_sync(kAll, (atomic_load(bytes + lane() / 4) >> lane() % 4 * 8 & 0xff) == value);
  }

  __device__ bool equal_words(const uint32_t* a, const uint32_t* b, uint32_t count) const {
    return __all_sync(kAll, lane() >= count || a[lane()] == b[lane()]);
  }
};

}  // namespace vox
