// A thread block of 512 threads on the GPU. It has the calls of CpuBlock, where they are explained; each call
// ends with a barrier.
#pragma once

#include <cstdint>

namespace vox::device {

template <class Shared>
class CudaBlock {
 public:
  static constexpr uint32_t kThreads = 512;

  __device__ explicit CudaBlock(Shared* shared) : shared_(shared) {}

  __device__ Shared& shared() const { return *shared_; }

  template <class F>
  __device__ void each(uint32_t count, F f) const {
    for (uint64_t j = threadIdx.x; j < count; j += kThreads) f(static_cast<uint32_t>(j));
    __syncthreads();
  }

  template <class F>
  __device__ bool any(uint32_t count, F f) const {
    int found = 0;
    for (uint64_t j = threadIdx.x; j < count; j += kThreads)
      if (f(static_cast<uint32_t>(j))) found = 1;
    return __syncthreads_or(found) != 0;
  }

  // The barrier itself counts, one value of each thread at a time.
  template <class F>
  __device__ uint32_t count(uint32_t count, F f) const {
    uint32_t found = 0;
    for (uint64_t first = 0; first < count; first += kThreads) {
      const uint64_t j = first + threadIdx.x;
      found += static_cast<uint32_t>(__syncthreads_count(j < count && f(static_cast<uint32_t>(j)) ? 1 : 0));
    }
    return found;
  }

  template <class F>
  __device__ void once(F f) const {
    if (threadIdx.x == 0) f();
    __syncthreads();
  }

 private:
  Shared* shared_;
};

}  // namespace vox::device
