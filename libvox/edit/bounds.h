// Which voxels an edit may change, and which others it looks at: what decides that edits can run in one pass,
// and that one lies outside of the grid.
#pragma once

#include <cstdint>

#include "libvox/base/voxel_box.h"
#include "libvox/edit/edit.h"

namespace vox::edit {

// A box in [0, resolution)³ that holds all voxels which the edit may change; empty where it lies outside. Of
// another scene whose box is yet to be filled in (edit.h), every voxel from its lowest corner on counts.
VoxelBox written_box(const Edit& edit, uint32_t resolution);

// A box in [0, resolution)³ that holds all other voxels of this scene on which the result depends; empty
// where none does, or nothing is written.
VoxelBox read_box(const Edit& edit, uint32_t resolution);

// The same copy with the box of its source, where an empty one means all of another scene of this resolution.
CopyEdit with_source(CopyEdit copy, uint32_t resolution);

// The same copy with a source that lies in [0, resolution)³, the grid of its scene: what lies outside falls
// away. May leave nothing.
CopyEdit clipped(const CopyEdit& copy, uint32_t resolution);

// The voxels whose centres lie in the shape, or may do so; within ±2^22.
VoxelBox bounds_of(const Shape& shape);

}  // namespace vox::edit
