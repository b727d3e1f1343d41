// Verifies a DAG on a device. It checks the same as verify() (frozen_dag.h), which runs on the host and names
// what is wrong. If the device finds an error, the host verifies the DAG again.
#pragma once

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

// The DAG must be one that check_structure() accepts. Throws what verify() throws. If the device does not
// have enough memory, the host does the work. The template is instantiated for each device in verify_on_*.
template <class Device>
void verify_on(Device& device, const FrozenDag& dag);

}  // namespace vox::dag
