// A cut through a scene: the voxels of one plane of the grid.
#pragma once

#include "libvox/base/voxel_box.h"
#include "libvox/render/camera.h"
#include "libvox/scene/palette.h"

namespace vox::render {

struct SliceOptions {
  uint32_t axis = 2;                 // 0, 1, 2 for x, y, z: the axis perpendicular to the plane
  uint32_t at = 0;                   // the index of the plane's voxels along that axis
  ImageSize most;                    // the picture is as large as whole cells allow within this size
  scene::Rgb8 empty = {24, 26, 32};  // the colour where there is no voxel
};

// Maps voxels to the places of a picture. The plane is seen from the front along z, from the right along x,
// and from the top along y, as in the views of those names.
struct SliceFrame {
  uint32_t axis, at;       // as in SliceOptions
  uint32_t across, along;  // the axes to the right and down
  int32_t first[2];        // the voxel in the upper left corner, along `across` and `along`
  int32_t step[2];         // the step to the next voxel: 1 or −1
  uint32_t width, height;  // in cells
  uint32_t log2_cell;      // log2 of a cell's side in voxels; a cell has the colour of its first voxel
  uint32_t pixels_per_cell;

  ImageSize size() const { return {width * pixels_per_cell, height * pixels_per_cell}; }
};

// Returns the frame of the part of the plane that lies inside `filled`, the box around all voxels, or inside
// the whole grid if `filled` is empty. Throws Error if the plane lies outside of the grid or the picture has
// no pixels.
SliceFrame slice_frame(const SliceOptions& options, const VoxelBox& filled, const VoxelBox& grid);

}  // namespace vox::render
