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

void let_reach(Engine& engine, int other) {
  std::get<device::CudaDevice*>(engine.handle())->let_reach(other);
}

std::unique_ptr<Engine> make_cuda_engine(const EngineOptions& options, int index) {
  return std::make_unique<DeviceEngine<device::CudaDevice>>(options, index);
}

}  // namespace vox
