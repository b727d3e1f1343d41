#include "libvox/engine/built_scene.h"

#include <utility>

namespace vox {

dag::VoxelScene built_scene(voxelize::BuildResult result, const scene::IndexedScene& indexed,
                            const voxelize::Grid& grid, const voxelize::BuildOptions& options) {
  dag::VoxelScene scene;
  scene.dag = std::move(result.dag);
  if (options.materials) {
    scene.palette = indexed.palette;
    scene.shares = indexed.shares;
  }
  scene.origin = grid.origin;
  scene.voxel_size = grid.voxel_size;
  scene.up = dag::UpAxis::Y;  // the readers of meshes have turned every mesh this way
  scene.coverage = options.coverage;
  scene.solid = options.solid;
  return scene;
}

}  // namespace vox
