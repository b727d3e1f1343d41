#include "libvox/device/handle.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox::spatial {

HashResult build_hash(device::DeviceHandle device, const dag::FrozenDag& dag, const HashOptions& options) {
  return device::with_device(device, [&](auto& on) { return build_hash(on, dag, options); });
}

dag::FrozenDag dag_of_hash(device::DeviceHandle device, const FrozenHash& hash) {
  return device::with_device(device, [&](auto& on) { return dag_of_hash(on, hash); });
}

}  // namespace vox::spatial
