#include "libvox/device/cuda_device.cuh"
#include "libvox/engine/engine_devices.h"
#include "libvox/engine/engine_impl.h"

namespace vox {

int cuda_device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

void use_cuda_device_here(int index) {
  device::check_cuda(cudaSetDevice(index), "cudaSetDevice");
}

void let_reach(int index, int other) {
  int reaches = 0, has_pools = 0;
  device::check_cuda(cudaDeviceCanAccessPeer(&reaches, other, index), "cudaDeviceCanAccessPeer");
  device::check_cuda(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, index),
                     "cudaDeviceGetAttribute");
  if (reaches == 0 || has_pools == 0) return;  // copies then go through the host's memory
  cudaMemPool_t pool = nullptr;
  device::check_cuda(cudaDeviceGetMemPool(&pool, index), "cudaDeviceGetMemPool");
  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = other;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  device::check_cuda(cudaMemPoolSetAccess(pool, &access, 1), "cudaMemPoolSetAccess");
}

std::unique_ptr<Engine> make_cuda_engine(const EngineOptions& options, int index) {
  return std::make_unique<DeviceEngine<device::CudaDevice>>(options, index);
}

}  // namespace vox
