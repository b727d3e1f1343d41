#include "libvox/dag/symmetric_dag.h"
#include "libvox/dag/verify.h"

namespace vox::dag {

void verify_on(device::DeviceHandle device, const FrozenDag& dag, uint64_t memory) {
  device::with_device(device, [&](auto& on) { verify_on(on, dag, memory); });
}

SymmetricDag symmetric_dag(device::DeviceHandle device, const FrozenDag& geometry) {
  return device::with_device(device, [&](auto& on) { return symmetric_dag(on, geometry); });
}

}  // namespace vox::dag
