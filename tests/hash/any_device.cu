#include "libvox/device/cuda_device.cuh"
#include "tests/hash/any_device_impl.h"

namespace vox {

std::unique_ptr<AnyDevice> make_any_cuda_device(int index) {
  return std::make_unique<OnDevice<device::CudaDevice>>(index);
}

}  // namespace vox
