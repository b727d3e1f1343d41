// The memory of one GPU, as a Pool asks for it. Blocks are allocated and freed in the order of a stream, from
// memory that CUDA has already taken from the system: cudaMalloc takes 50 to 100 µs for each block, and
// cudaFree waits for all work that runs.
#pragma once

#include <cuda_runtime.h>

#include "libvox/device/pool.h"

namespace vox::device {

class CudaMemory {
 public:
  // Only work on this stream, or work that waits for it, may use the blocks.
  CudaMemory(int index, cudaStream_t stream);
  ~CudaMemory();  // everything must have been released
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  static const Pool::Backend kBackend;  // its state is a CudaMemory

 private:
  void* allocate(uint64_t bytes);
  void release(void* block);
  void shrink(uint64_t bytes);

  cudaStream_t stream_;
  cudaMemPool_t pool_ = nullptr;  // null if the driver has no such pools
};

}  // namespace vox::device
