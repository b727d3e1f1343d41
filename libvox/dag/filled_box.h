// The smallest box around all voxels of a DAG.
#pragma once

#include "libvox/base/voxel_box.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

// The DAG must be one that check_structure() accepts. If it has no voxels, the box is empty.
VoxelBox filled_box(const FrozenDag& dag);

}  // namespace vox::dag
