#include "tests/hash/any_device.h"

#include "libvox/device/cpu_device.h"
#include "tests/common/test_engine.h"
#include "tests/hash/any_device_impl.h"

namespace vox {

std::unique_ptr<AnyDevice> make_any_device() {
  static const std::string name = test_engine()->device();  // "cpu" or "cuda:N"
#ifdef VOX_HAS_CUDA
  if (name != "cpu") return make_any_cuda_device(std::stoi(name.substr(name.find(':') + 1)));
#endif
  return std::make_unique<OnDevice<device::CpuDevice>>();
}

}  // namespace vox
