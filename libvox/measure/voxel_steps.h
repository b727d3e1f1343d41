// Follows a ray through a grid that is asked what its voxels hold, one after the other. The ray is the
// renderer's, whole numbers, so that it hits what it hits in the SVDAG (render/README.md).
#pragma once

#include <concepts>

#include "libvox/render/cell.h"

namespace vox::measure {

// What a ray hits first.
struct VoxelHit {
  Int3 voxel = {};    // 12 B
  uint32_t word = 0;  // 4 B, 0: nothing is hit
};
static_assert(sizeof(VoxelHit) == 16);

// What a grid knows of a voxel: its word, and where that is 0 how far it is empty there: a cube around the
// voxel, with a side of 2^empty_log2 voxels and at a multiple of that, holds nothing.
struct SeenVoxel {
  uint32_t word = 0, empty_log2 = 0;
};

// It is asked for voxels of the whole cube, some of which may be none of the grid: they are empty.
template <class G>
concept SteppedGrid = requires(const G& grid, Int3 voxel) {
  { grid.see(voxel) } -> std::same_as<SeenVoxel>;
};

template <SteppedGrid Grid>
VOX_HD VoxelHit first_seen(const Grid& grid, const render::Ray& ray) {
  render::Cell cell(ray);
  render::Crossing now = ray.start;
  if (cell.next() < now) return {};  // the ray passes the cube by
  for (;;) {
    while (cell.log2 > 0) cell.halve(ray, now);
    const Int3 voxel = cell.corner(ray);
    const SeenVoxel seen = grid.see(voxel);
    if (seen.word != 0) return {voxel, seen.word};
    if (seen.empty_log2 > 0) cell = render::Cell(ray, voxel, seen.empty_log2);
    now = cell.next();
    cell.go_on(ray);
    if (cell.log2 >= ray.log2_side) return {};
  }
}

}  // namespace vox::measure
