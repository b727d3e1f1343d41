// Follows a ray voxel by voxel through any grid that can tell the contents of a voxel. The ray is the
// renderer's, in whole numbers, so it hits the same voxels as in the SVDAG (render/README.md).
#pragma once

#include <concepts>

#include "libvox/render/cell.h"

namespace vox::measure {

// The first voxel that a ray hits.
struct VoxelHit {
  Int3 voxel = {};    // 12 B
  uint32_t word = 0;  // 4 B, 0 if nothing is hit
};
static_assert(sizeof(VoxelHit) == 16);

// The contents of a voxel. If the word is 0, an aligned cube around the voxel with a side of 2^empty_log2
// voxels is empty.
struct SeenVoxel {
  uint32_t word = 0, empty_log2 = 0;
};

// The grid can be asked for any voxel of the cube. Voxels outside of the grid are empty.
template <class G>
concept SteppedGrid = requires(const G& grid, Int3 voxel) {
  { grid.see(voxel) } -> std::same_as<SeenVoxel>;
};

template <SteppedGrid Grid>
VOX_HD VoxelHit first_seen(const Grid& grid, const render::Ray& ray) {
  render::Cell cell(ray);
  render::Crossing now = ray.start;
  if (cell.next() < now) return {};  // the ray misses the cube
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
