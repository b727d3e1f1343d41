// Cuts a scene at a box of voxels. The part inside the box keeps its place in the grid. The work is
// proportional to the number of unique nodes, plus the number of nodes that the box cuts.
#pragma once

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox::dag {

// Returns the part of a DAG inside the box. The DAG must be one that check_structure() accepts.
FrozenDag clipped(const FrozenDag& dag, const VoxelBox& box);

// Returns the part of a scene inside the box, with its palette and its place in the world, but without its
// source.
VoxelScene clipped_scene(const VoxelScene& scene, const VoxelBox& box);

}  // namespace vox::dag
