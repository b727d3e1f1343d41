// Several scenes on one grid: what a later one fills hides what earlier ones have there.
#pragma once

#include <memory>
#include <vector>

#include "formats/voxels/voxel_file.h"
#include "libvox/voxelize/grid.h"

namespace vox {

// The box around the filled voxels of a scene, in the world. Where there are none, min > max.
voxelize::Box filled_box(const dag::VoxelScene& scene);

// The voxels of scenes that lie anywhere, on a grid whose y points up, as theirs does. A scene of larger voxels fills
// those whose middle lies in them; of smaller ones, those that the middle of one of them lies in: what is filled
// stays closed; of several, the last in Morton order. What lies outside of the grid is cut off. Colours of a scene without any are grey.
VoxelFile composed_voxels(std::vector<std::shared_ptr<const dag::VoxelScene>> scenes,
                          const voxelize::Grid& grid);

}  // namespace vox
