// The smallest box around all voxels of a DAG.
#pragma once

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_box.h"

namespace vox {

// The DAG is one that check_structure() accepts. Empty without voxels.
VoxelBox filled_box(const FrozenDag& dag);

}  // namespace vox
