// The smallest box around all voxels of a DAG.
#pragma once

#include "libvox/base/voxel_box.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

// The DAG is one that check_structure() accepts. The box of a DAG without voxels is empty.
VoxelBox filled_box(const FrozenDag& dag);

}  // namespace vox::dag
