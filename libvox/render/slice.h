// A cut through a scene: the voxels of one plane of the grid.
#pragma once

#include "libvox/base/voxel_box.h"
#include "libvox/render/camera.h"
#include "libvox/scene/palette.h"

namespace vox::render {

struct SliceOptions {
  uint32_t axis = 2;                 // 0, 1, 2 for x, y, z: the axis that the plane is perpendicular to
  uint32_t at = 0;                   // the plane's voxels along that axis
  ImageSize most;                    // the picture is no larger, and as large as whole cells allow
  scene::Rgb8 empty = {24, 26, 32};  // where no voxel is
};

// Which voxels a picture shows, and where. One looks from the front along z, from the right along x, from the
// top along y, as in the views of those names.
struct SliceFrame {
  uint32_t axis, at;       // as above
  uint32_t across, along;  // the axes to the right and down
  int32_t first[2];        // voxel in the upper left corner: across, along
  int32_t step[2];         // to the next voxel: 1 or −1
  uint32_t width, height;  // in cells
  uint32_t log2_cell;      // of a cell's side in voxels; a cell has the colour of its first voxel
  uint32_t pixels_per_cell;

  ImageSize size() const { return {width * pixels_per_cell, height * pixels_per_cell}; }
};

// The frame of the part of the plane that lies inside `filled`, the box around all voxels, or inside the
// whole grid where that is empty. Throws Error where the plane lies outside the grid or the picture has no
// pixels.
SliceFrame slice_frame(const SliceOptions& options, const VoxelBox& filled, const VoxelBox& grid);

}  // namespace vox::render
