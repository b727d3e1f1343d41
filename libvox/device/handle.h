// A pointer to a device of any kind. Functions that take one run on this device; with_device.h finds out its kind.
#pragma once

#include <variant>

namespace vox::device {

class CpuDevice;
class CudaDevice;

using DeviceHandle = std::variant<CpuDevice*, CudaDevice*>;

}  // namespace vox::device
