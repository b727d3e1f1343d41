// Removes the materials from a DAG: leaves are reduced to masks, nodes are deduplicated again, and every full
// node becomes homogeneous. Converting the scene with --materials none gives the same DAG.
#pragma once

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

// The DAG must be one that check_structure() accepts. The template is instantiated for each device in
// without_materials_*.
template <class Device>
FrozenDag without_materials(Device& device, const FrozenDag& dag);

}  // namespace vox::dag
