// The kernels that CudaDevice launches for its loops, and the function objects that it passes to CUB.
#pragma once

#include <cstdint>
#include <type_traits>

#include "libvox/device/cuda_group.cuh"
#include "libvox/device/device.h"

namespace vox::device::cuda_kernels {

// Returns how many blocks of 256 threads, up to 8, fit on a multiprocessor. It holds 2048 threads on most
// GPUs, 1536 on those of workstations, and 1024 on the oldest GPUs that we build for.
constexpr int blocks_that_fit() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
  return 4;
#elif defined(__CUDA_ARCH__) && \
    ((__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || (__CUDA_ARCH__ >= 1200 && __CUDA_ARCH__ < 1300))
  return 6;
#else
  return 8;
#endif
}

// Returns how many blocks of a loop a multiprocessor should hold at least, so that it has other work while
// one block waits for memory. A body that would otherwise use too many registers states this number as
// kBlocksAtOnce.
template <class Body>
constexpr int blocks_at_once() {
  if constexpr (ResidentBody<Body>)
    return Body::kBlocksAtOnce < blocks_that_fit() ? Body::kBlocksAtOnce : blocks_that_fit();
  else
    return 1;
}

template <class Body>
__global__ void __launch_bounds__(256, blocks_at_once<Body>())
    for_each(uint64_t n, const __grid_constant__ Body body) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) body(i);
}

template <class Body>
__global__ void __launch_bounds__(256, blocks_at_once<Body>())
    for_each_of(const uint32_t* count, uint64_t each, const Body body) {
  const uint64_t n = each * *count, stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) body(i);
}

template <class Body>
__global__ void __launch_bounds__(256, 4) for_each_warp(uint64_t n, const Body body) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  const uint64_t first = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x / 32 * 32;
  for (uint64_t i = first; i < n; i += stride) body.warp(i, n);
}

// Each group prepares `each` values of i at a time, at most one for each lane.
template <class Body>
__global__ void __launch_bounds__(256, blocks_that_fit())
    for_each_group(uint64_t n, uint32_t each, const Body body) {
  using Prepared = decltype(prepared(body, n));
  const CudaGroup group;
  const uint64_t stride = uint64_t{gridDim.x} * (blockDim.x / CudaGroup::kLanes) * each;
  for (uint64_t first = (uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / CudaGroup::kLanes * each;
       first < n; first += stride) {
    const uint32_t count = n - first < each ? static_cast<uint32_t>(n - first) : each;
    Prepared own = {};
    if (group.lane() < count) {
      const uint64_t i = first + group.lane();
      if constexpr (PrefetchingBody<Body>) body.prefetch(i, 1);
      own = prepared(body, i);
    }
    for (uint32_t i = 0; i < count; ++i) body(group, group.broadcast(own, i));
  }
}

// The blocks stride over i. Two of them fit on a multiprocessor of any GPU that we build for.
template <class Shared, class Body>
__global__ void __launch_bounds__(CudaBlock<Shared>::kThreads, 2)
    for_each_block(uint64_t n, const Body body) {
  __shared__ Shared shared;
  for (uint64_t i = blockIdx.x; i < n; i += gridDim.x) {
    body(CudaBlock<Shared>(&shared), i);
    __syncthreads();
  }
}

template <class T>
struct Fill {
  T* to;
  T value;
  __device__ void operator()(uint64_t i) const { to[i] = value; }
};

template <class T>
struct ScatterWindow {
  const uint32_t* index;
  const T* values;
  T* out;
  uint32_t begin;
  uint64_t end;
  __device__ void operator()(uint64_t i) const {
    const uint32_t to = __ldcs(index + i);
    if (to >= begin && to < end) out[to] = __ldcs(values + i);
  }
};

// The input of CUB's scan. Counts have 64 bits. Flags have 32, because there are fewer than 2^32 of them. A zero
// follows the last count; its prefix sum is the total.
template <class Count>
struct ScanInput {
  using Sum =
      std::conditional_t<std::is_same_v<std::invoke_result_t<Count, uint64_t>, bool>, uint32_t, uint64_t>;
  Count count;
  uint64_t n;
  __host__ __device__ Sum operator()(uint64_t i) const { return i < n ? static_cast<Sum>(count(i)) : 0; }
};

template <class Out>
struct ScanOutput {
  Out* out;
  uint64_t* total;
  uint64_t n;
  __host__ __device__ void operator()(uint64_t i, uint64_t sum) const {
    out[i] = static_cast<Out>(sum);
    if (i == n) *total = sum;
  }
};

template <class Value>
struct SumInput {
  Value value;
  __host__ __device__ uint64_t operator()(uint64_t i) const { return static_cast<uint64_t>(value(i)); }
};

// Each block first counts in `bins` words of shared memory.
template <class Bin>
__global__ void histogram(uint64_t n, const Bin bin, unsigned long long* counts, uint32_t bins) {
  extern __shared__ uint32_t block_counts[];
  for (uint32_t b = threadIdx.x; b < bins; b += blockDim.x) block_counts[b] = 0;
  __syncthreads();
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(block_counts + bin(i), 1u);
  __syncthreads();
  for (uint32_t b = threadIdx.x; b < bins; b += blockDim.x)
    if (block_counts[b] != 0) atomicAdd(counts + b, static_cast<unsigned long long>(block_counts[b]));
}

}  // namespace vox::device::cuda_kernels
