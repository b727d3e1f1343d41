// The cell that a ray is in: a cube whose side is a power of two, at a multiple of its side. All is computed
// in integers.
#pragma once

#include "libvox/base/bits.h"
#include "libvox/base/cube_order.h"
#include "libvox/render/ray.h"

namespace vox::render {

struct Cell {
  Vec3<uint32_t> at;   // 12 B, its lowest corner in mirrored coordinates
  uint32_t log2;       // 4 B, of its side
  Vec3<Crossing> out;  // 24 B, when the ray leaves it along each axis

  // The cell that is the whole cube.
  VOX_HD explicit Cell(const Ray& ray)
      : at{0, 0, 0},
        log2(ray.log2_side),
        out{ray.first.x + (ray.step.x << log2), ray.first.y + (ray.step.y << log2),
            ray.first.z + (ray.step.z << log2)} {}

  // The cell of side 2^log2_cell around a voxel of the grid.
  VOX_HD Cell(const Ray& ray, Int3 voxel, uint32_t log2_cell) : log2(log2_cell) {
    const uint32_t last = (1u << ray.log2_side) - 1;
    const auto mirrored = [&](int32_t voxel_at, uint32_t axis) {
      const auto along = static_cast<uint32_t>(voxel_at);
      return (ray.mirrored >> axis & 1 ? along ^ last : along) >> log2_cell << log2_cell;
    };
    at = {mirrored(voxel.x, 0), mirrored(voxel.y, 1), mirrored(voxel.z, 2)};
    const auto leaves = [&](uint32_t low, Crossing first, Crossing step) {
      return first + static_cast<Crossing>(low + (1u << log2_cell)) * step;
    };
    out = {leaves(at.x, ray.first.x, ray.step.x), leaves(at.y, ray.first.y, ray.step.y),
           leaves(at.z, ray.first.z, ray.step.z)};
  }

  VOX_HD Crossing next() const {
    const Crossing xy = out.x < out.y ? out.x : out.y;
    return xy < out.z ? xy : out.z;
  }

  // Its lowest corner in the grid, where nothing is mirrored.
  VOX_HD Int3 corner(const Ray& ray) const {
    const uint32_t last = (1u << ray.log2_side) - 1;
    const auto unmirrored = [&](uint32_t low, uint32_t axis) {
      return static_cast<int32_t>((ray.mirrored >> axis & 1 ? low ^ last : low) >> log2 << log2);
    };
    return {unmirrored(at.x, 0), unmirrored(at.y, 1), unmirrored(at.z, 2)};
  }

  // Which eighth this is of the cell twice as wide, in Morton order, mirrored.
  VOX_HD uint32_t octant() const { return octant_at(at, log2); }

  // Becomes the eighth that the ray is in at `now`.
  VOX_HD void halve(const Ray& ray, Crossing now) {
    --log2;
    halve_axis(at.x, out.x, ray.step.x, now);
    halve_axis(at.y, out.y, ray.step.y, now);
    halve_axis(at.z, out.z, ray.step.z, now);
  }

  // Becomes the cell that the ray enters by the crossing next(): as wide, or wider where the ray also enters
  // a wider cell there. Where the ray leaves the cube, log2 becomes that of the cube.
  VOX_HD void go_on(const Ray& ray) {
    const uint32_t axis = axis_of(next());
    const uint32_t side = 1u << log2;
    const Vec3<uint32_t> to = {at.x + (axis == 0 ? side : 0), at.y + (axis == 1 ? side : 0),
                               at.z + (axis == 2 ? side : 0)};
    const uint32_t changed = (at.x ^ to.x) | (at.y ^ to.y) | (at.z ^ to.z);
    at = to;
    if (changed == side) {
      // There are no branches, since which axis it is cannot be foreseen.
      out.x += axis == 0 ? ray.step.x << log2 : 0;
      out.y += axis == 1 ? ray.step.y << log2 : 0;
      out.z += axis == 2 ? ray.step.z << log2 : 0;
      return;
    }
    log2 = static_cast<uint32_t>(highest_bit(changed));
    widen_axis(at.x, out.x, ray.first.x, ray.step.x);
    widen_axis(at.y, out.y, ray.first.y, ray.step.y);
    widen_axis(at.z, out.z, ray.first.z, ray.step.z);
  }

 private:
  VOX_HD void halve_axis(uint32_t& low, Crossing& leaves, Crossing step, Crossing now) const {
    const Crossing middle = leaves - (step << log2);
    if (middle <= now)
      low += 1u << log2;
    else
      leaves = middle;
  }
  VOX_HD void widen_axis(uint32_t& low, Crossing& leaves, Crossing first, Crossing step) const {
    low = low >> log2 << log2;
    leaves = first + static_cast<Crossing>(low + (1u << log2)) * step;
  }
};

}  // namespace vox::render
