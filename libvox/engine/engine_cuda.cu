#include "libvox/device/cuda_device.cuh"
#include "libvox/engine/engine_devices.h"
#include "libvox/engine/engine_impl.h"

namespace vox {

int cuda_device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::unique_ptr<Engine> make_cuda_engine(const EngineOptions& options, int index) {
  return std::make_unique<DeviceEngine<device::CudaDevice>>(options, index);
}

}  // namespace vox
