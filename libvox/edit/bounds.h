// Computes which voxels an edit may change and which others it reads. These boxes tell which edits can run in
// one pass, and which edits lie outside of the grid.
#pragma once

#include <cstdint>

#include "libvox/base/geometry.h"
#include "libvox/edit/edit.h"

namespace vox::edit {

// Returns a box in [0, resolution)³ that holds all voxels that the edit may change. The box is empty if the
// edit lies outside of the grid. If an edit takes all of another scene and its source box is not filled in
// yet (edit.h), the box reaches from the edit's lowest corner to the end of the grid.
VoxelBox written_box(const Edit& edit, uint32_t resolution);

// Returns a box in [0, resolution)³ that holds all other voxels of this scene on which the result depends.
// The box is empty if there are none, or if the edit writes nothing.
VoxelBox read_box(const Edit& edit, uint32_t resolution);

// Returns the copy with its source filled in: an empty box means all of another scene, which has this
// resolution.
CopyEdit with_source(CopyEdit copy, uint32_t resolution);

// Returns the copy with its source clipped to [0, resolution)³, the grid of the source's scene. The source
// may become empty.
CopyEdit clipped(const CopyEdit& copy, uint32_t resolution);

// Returns a box that holds all voxels whose centres lie in the shape, clamped to ±2^22.
VoxelBox bounds_of(const Shape& shape);

}  // namespace vox::edit
