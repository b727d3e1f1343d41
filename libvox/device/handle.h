// A pointer to the device that an engine runs on, for code that is compiled for each kind of device.
#pragma once

#include <variant>

namespace vox::device {

class CpuDevice;
class CudaDevice;

using DeviceHandle = std::variant<CpuDevice*, CudaDevice*>;

}  // namespace vox::device
