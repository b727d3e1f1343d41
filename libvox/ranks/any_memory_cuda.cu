#include <cstring>

#include "libvox/device/cuda_device.cuh"
#include "libvox/ranks/any_memory.h"

namespace vox::ranks {

bool is_gpu_memory(const void* memory) {
  cudaPointerAttributes attributes = {};
  if (memory == nullptr || cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    cudaGetLastError();  // of a machine without a GPU
    return false;
  }
  return attributes.type == cudaMemoryTypeDevice;
}

void copy_any(void* to, const void* from, uint64_t bytes) {
  if (bytes == 0) return;
  if (!is_gpu_memory(to) && !is_gpu_memory(from)) {
    std::memcpy(to, from, bytes);
    return;
  }
  // A copy within a GPU's memory returns before it is done.
  device::check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
  device::check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

StagingMemory::StagingMemory(uint64_t bytes) {
  device::check_cuda(cudaMallocHost(reinterpret_cast<void**>(&data_), bytes), "cudaMallocHost");
}

StagingMemory::~StagingMemory() {
  if (data_) cudaFreeHost(data_);
}

}  // namespace vox::ranks
