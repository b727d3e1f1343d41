// The memory of one GPU as a pool asks for it: in the order of a stream, from what CUDA has taken from the system
// before. cudaMalloc takes 50 to 100 µs for each block, and cudaFree waits for all that runs.
#pragma once

#include <cuda_runtime.h>

#include "libvox/device/pool.h"

namespace vox::device {

class CudaMemory {
 public:
  // What it gives is used by work on this stream, or work that waits for it.
  CudaMemory(int index, cudaStream_t stream);
  ~CudaMemory();  // everything has been released
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  static const Pool::Backend kBackend;  // its state is a CudaMemory

 private:
  void* allocate(uint64_t bytes);
  void release(void* block);
  void shrink(uint64_t bytes);

  cudaStream_t stream_;
  cudaMemPool_t pool_ = nullptr;  // none where the driver has no such pools
};

}  // namespace vox::device
