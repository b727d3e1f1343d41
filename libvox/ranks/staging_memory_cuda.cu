#include "libvox/device/cuda_device.cuh"
#include "libvox/ranks/staging_memory.h"

namespace vox::ranks {

StagingMemory::StagingMemory(uint64_t bytes) {
  device::check_cuda(cudaMallocHost(reinterpret_cast<void**>(&data_), bytes), "cudaMallocHost");
}

StagingMemory::~StagingMemory() {
  cudaFreeHost(data_);
}

}  // namespace vox::ranks
