#include <dlfcn.h>

#include "libvox/device/cuda_device.cuh"
#include "libvox/ranks/ranks.h"

namespace vox::ranks {
namespace {

// The first call of CUDA's takes a quarter of a second and memory of the GPU, which a process that uses the CPU alone
// must not pay.
bool driver_is_loaded() {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver != nullptr) dlclose(driver);
  return driver != nullptr;
}

}  // namespace

bool is_cuda_memory(const void* at) {
  if (!driver_is_loaded()) return false;
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

void wait_for_cuda(const void* at) {
  cudaPointerAttributes attributes = {};
  device::check_cuda(cudaPointerGetAttributes(&attributes, at), "cudaPointerGetAttributes");
  int current = 0;
  device::check_cuda(cudaGetDevice(&current), "cudaGetDevice");
  device::check_cuda(cudaSetDevice(attributes.device), "cudaSetDevice");
  const cudaError_t result = cudaDeviceSynchronize();
  device::check_cuda(cudaSetDevice(current), "cudaSetDevice");
  device::check_cuda(result, "cudaDeviceSynchronize");
}

StagingMemory::StagingMemory(uint64_t bytes) {
  device::check_cuda(cudaMallocHost(reinterpret_cast<void**>(&data_), bytes), "cudaMallocHost");
}

StagingMemory::~StagingMemory() {
  cudaFreeHost(data_);
}

}  // namespace vox::ranks
