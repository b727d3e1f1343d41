// Verifies a DAG on a device. It does what verify() (frozen_dag.h) does, which goes over the DAG on the host, and
// which names what is wrong: where a device finds that something is, the host looks again.
#pragma once

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

// The DAG is one that check_structure() accepts. Throws what verify() throws. Where the device has not the
// memory, the host does it. Compiled for each device in verify_on_*.
template <class Device>
void verify_on(Device& device, const FrozenDag& dag);

}  // namespace vox::dag
