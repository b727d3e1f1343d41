// Where in the grid an edit may change voxels, and where it looks.
#pragma once

#include "libvox/edit/edit.h"

namespace vox {

// The grid of a scene.
VoxelBox grid_box(uint32_t resolution);

// Around all voxels that belong to the shape and lie in the grid.
VoxelBox bounds(const Shape& shape, const VoxelBox& grid);

// Around all voxels that the edit may change; `other` is the grid of the scene that it takes voxels from.
VoxelBox written(const Edit& edit, const VoxelBox& grid, const VoxelBox& other);

// Around all voxels of the scene being edited that the outcome depends on besides those that are written.
VoxelBox read(const Edit& edit, const VoxelBox& grid);

// The same copy with a source that lies in the grid of its scene: what lies outside falls away.
CopyEdit clipped(const CopyEdit& copy, const VoxelBox& source_grid);

}  // namespace vox
