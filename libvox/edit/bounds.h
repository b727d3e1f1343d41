// Which voxels an edit may change, and which others it reads. By these boxes edits are found that can run in
// one pass, and edits that lie outside of the grid.
#pragma once

#include <cstdint>

#include "libvox/base/voxel_box.h"
#include "libvox/edit/edit.h"

namespace vox::edit {

// A box in [0, resolution)³ that holds all voxels which the edit may change; empty where the edit lies
// outside. Where an edit takes all of another scene whose box is yet to be filled in (edit.h), every voxel
// from the lowest corner on counts.
VoxelBox written_box(const Edit& edit, uint32_t resolution);

// A box in [0, resolution)³ that holds all other voxels of this scene on which the result depends; empty
// where it depends on none, or nothing is written.
VoxelBox read_box(const Edit& edit, uint32_t resolution);

// The same copy with the box of its source, where an empty one means all of another scene of this resolution.
CopyEdit with_source(CopyEdit copy, uint32_t resolution);

// The same copy with a source that lies in [0, resolution)³, the grid of its scene: voxels outside fall away.
// The source may become empty.
CopyEdit clipped(const CopyEdit& copy, uint32_t resolution);

// A box that holds all voxels whose centres lie in the shape; cut off at ±2^22.
VoxelBox bounds_of(const Shape& shape);

}  // namespace vox::edit
