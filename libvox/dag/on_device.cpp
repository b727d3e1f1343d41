#include "libvox/dag/derived.h"
#include "libvox/dag/node_interner.h"
#include "libvox/dag/symmetric_dag.h"
#include "libvox/dag/verify.h"
#include "libvox/device/handle.h"

namespace vox::dag {

void verify_on(device::DeviceHandle device, const FrozenDag& dag, uint64_t memory) {
  device::with_device(device, [&](auto& on) { verify_on(on, dag, memory); });
}

std::unique_ptr<NodeInterner> make_node_interner(device::DeviceHandle device) {
  return device::with_device(device, [&](auto& on) { return make_node_interner(on); });
}

FrozenDag without_materials(device::DeviceHandle device, const FrozenDag& dag) {
  return device::with_device(device, [&](auto& on) { return without_materials(on, dag); });
}

SymmetricDag symmetric_dag(device::DeviceHandle device, const FrozenDag& geometry) {
  return device::with_device(device, [&](auto& on) { return symmetric_dag(on, geometry); });
}

}  // namespace vox::dag
