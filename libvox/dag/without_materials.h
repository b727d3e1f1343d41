// Takes the materials out of a DAG: leaves are reduced to masks, nodes deduplicated again, and a full node is
// homogeneous whatever it was made of. Converting the scene with --materials none gives the same DAG.
#pragma once

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

// The DAG is one that check_structure() accepts. Compiled for each device in without_materials_*.
template <class Device>
FrozenDag without_materials(Device& device, const FrozenDag& dag);

}  // namespace vox::dag
