#include "libvox/engine/built_scene.h"

#include <utility>

namespace vox {

VoxelScene built_scene(BuildResult result, const IndexedScene& indexed, const Grid& grid,
                       const BuildOptions& options) {
  VoxelScene scene;
  scene.dag = std::move(result.dag);
  if (options.materials) {
    scene.palette = indexed.palette;
    scene.shares = indexed.shares;
  }
  scene.origin = grid.origin;
  scene.voxel_size = grid.voxel_size;
  scene.up = UpAxis::Y;  // readers of meshes have turned them
  scene.coverage = options.coverage;
  scene.solid = options.solid;
  return scene;
}

}  // namespace vox
