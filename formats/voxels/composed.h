// Several scenes on one grid: a voxel that a later scene fills hides those of earlier scenes.
#pragma once

#include <memory>
#include <vector>

#include "formats/voxels/voxel_file.h"
#include "libvox/voxelize/grid.h"

namespace vox {

// Returns the box around the filled voxels of a scene, in the world. If there are none, min > max.
voxelize::Box filled_box(const dag::VoxelScene& scene);

// Returns the voxels of scenes that lie anywhere, on a grid with y up; the scenes have y up too. If a scene's
// voxels are larger than the grid's, a grid voxel is filled if its centre lies in a filled scene voxel. If
// they are smaller, a grid voxel is filled if it contains the centre of a filled scene voxel, so that closed
// surfaces stay closed; the last such voxel in Morton order gives the material. Everything outside the grid
// is cut off. A scene without colours is grey.
VoxelFile composed_voxels(std::vector<std::shared_ptr<const dag::VoxelScene>> scenes,
                          const voxelize::Grid& grid);

}  // namespace vox
