// A pointer to a device of any kind. A function that takes it runs on this device; with_device() finds out the kind.
#pragma once

#include <variant>

namespace vox::device {

class CpuDevice;
class CudaDevice;

using DeviceHandle = std::variant<CpuDevice*, CudaDevice*>;

// Calls f with the device of a handle, for code that is compiled for each kind of device. A room's on_device.cpp passes
// the device to the room's templates. In a build with CUDA, CMake defines VOX_HAS_CUDA for every on_device.cpp. In any
// other source, this function throws std::bad_variant_access if it gets a GPU's handle.
template <class F>
auto with_device(const DeviceHandle& handle, const F& f) {
#ifdef VOX_HAS_CUDA
  if (CudaDevice* const* cuda = std::get_if<CudaDevice*>(&handle)) return f(**cuda);
#endif
  return f(*std::get<CpuDevice*>(handle));
}

}  // namespace vox::device
