// The part of a scene inside a box of voxels, at its place in the same grid. The work is that of the unique nodes,
// and of the nodes that the box cuts.
#pragma once

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox::dag {

// The DAG is one that check_structure() accepts.
FrozenDag clipped(const FrozenDag& dag, const VoxelBox& box);

// A scene of that part, with palette and place, but not where it came from.
VoxelScene clipped_scene(const VoxelScene& scene, const VoxelBox& box);

}  // namespace vox::dag
