// What an engine has built of a mesh, as a scene.
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"

namespace vox {

// The DAG with its palette and its place in the world. Where it comes from (source, generator, command, created) is
// left to the caller.
VoxelScene built_scene(BuildResult result, const IndexedScene& indexed, const Grid& grid,
                       const BuildOptions& options);

}  // namespace vox
