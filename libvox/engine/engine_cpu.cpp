#include "libvox/device/cpu_device.h"
#include "libvox/engine/engine_devices.h"
#include "libvox/engine/engine_impl.h"

namespace vox {

std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options) {
  return std::make_unique<DeviceEngine<device::CpuDevice>>(options);
}

}  // namespace vox
