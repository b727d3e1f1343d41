// Gets the device of a handle, for code that is compiled for each kind of device. A room's on_device.cpp passes it to
// the room's templates.
#pragma once

#include <variant>

#include "libvox/device/handle.h"

namespace vox::device {

// Calls f with the device. In a build with CUDA, CMake defines VOX_HAS_CUDA for every on_device.cpp. In any other
// source, a GPU's handle makes this function throw std::bad_variant_access.
template <class F>
auto with_device(const DeviceHandle& handle, const F& f) {
#ifdef VOX_HAS_CUDA
  if (CudaDevice* const* cuda = std::get_if<CudaDevice*>(&handle)) return f(**cuda);
#endif
  return f(*std::get<CpuDevice*>(handle));
}

}  // namespace vox::device
