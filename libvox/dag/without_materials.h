// The same voxels without their materials: leaves reduced to masks, nodes deduplicated again, a full region
// homogeneous whatever it was made of. What converting the scene with --materials none gives.
#pragma once

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

// The DAG is one that check_structure() accepts. Compiled for each device in without_materials_*.
template <class Device>
FrozenDag without_materials(Device& device, const FrozenDag& dag);

}  // namespace vox::dag
