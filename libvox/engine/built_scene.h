// Makes a voxel scene from what an engine has built of a mesh.
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"

namespace vox {

// Returns the DAG with its palette and its place in the world. The caller sets where the scene comes
// from (source, generator, command, created).
dag::VoxelScene built_scene(voxelize::BuildResult result, const scene::IndexedScene& indexed,
                            const voxelize::Grid& grid, const voxelize::BuildOptions& options);

}  // namespace vox
