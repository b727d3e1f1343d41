// Fits a grid to a box, for any content: triangles or points.
#pragma once

#include "libvox/voxelize/grid.h"

namespace vox::voxelize {

// Does the same as fit_grid(), for a box instead of a scene's bounding box. Throws Error if the box is empty.
Grid fit_box(const Box& box, const GridOptions& options);

// The rounding error of a grid that is not snapped, in voxels: what lies on its far side may seem to lie this
// far beyond it, because a quotient of lengths is rounded.
inline constexpr double kGridRounding = 1.0 / 512;

}  // namespace vox::voxelize
