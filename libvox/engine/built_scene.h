// Makes a voxel scene of what an engine has built of a mesh.
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"

namespace vox {

// The DAG with its palette and its place in the world. Where it comes from (source, generator, command,
// created) is left to the caller.
dag::VoxelScene built_scene(voxelize::BuildResult result, const scene::IndexedScene& indexed,
                            const voxelize::Grid& grid, const voxelize::BuildOptions& options);

}  // namespace vox
