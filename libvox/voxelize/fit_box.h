// Fits a grid to a box, whatever lies in it: triangles, points.
#pragma once

#include "libvox/voxelize/grid.h"

namespace vox::voxelize {

// Does what fit_grid() does, for a box instead of a scene's bounding box. Throws Error where the box is empty.
Grid fit_box(const Box& box, const GridOptions& options);

// How far, in voxels, what lies on the far side of a grid that is not snapped may seem to lie beyond it, since
// a quotient of lengths is rounded.
inline constexpr double kGridRounding = 1.0 / 512;

}  // namespace vox::voxelize
