#include "libvox/device/cuda_device.cuh"
#include "libvox/ranks/any_memory.h"

namespace vox::ranks {

bool is_cuda_memory(const void* at) {
  cudaPointerAttributes attributes = {};
  if (cudaPointerGetAttributes(&attributes, at) == cudaSuccess)
    return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  cudaGetLastError();  // clears the error; without a driver all memory is the host's
  return false;
}

void copy_cuda(void* to, const void* from, uint64_t bytes) {
  device::check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cudaStreamPerThread),
                     "cudaMemcpyAsync");
  device::check_cuda(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
}

StagingMemory::StagingMemory(uint64_t bytes) {
  device::check_cuda(cudaMallocHost(reinterpret_cast<void**>(&data_), bytes), "cudaMallocHost");
}

StagingMemory::~StagingMemory() {
  cudaFreeHost(data_);
}

}  // namespace vox::ranks
