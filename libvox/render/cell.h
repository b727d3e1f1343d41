// The cell that a ray is in: a cube whose side is a power of two, at a multiple of its side. All is computed
// in integers.
#pragma once

#include "libvox/base/bits.h"
#include "libvox/base/cube_order.h"
#include "libvox/render/ray.h"

namespace vox::render {

struct Cell {
  Vec3<uint32_t> at;      // 12 B, its lowest corner in mirrored coordinates
  uint32_t log2;          // 4 B, of its side
  Vec3<Crossing> out;     // 24 B, when the ray leaves it along each axis
  Vec3<Crossing> across;  // 24 B, how long the ray takes from side to side: step << log2
  uint32_t octant;        // 4 B, which eighth this is of the cell twice as wide, in Morton order, mirrored

  // The cell that is the whole cube.
  VOX_HD explicit Cell(const Ray& ray)
      : at{0, 0, 0},
        log2(ray.log2_side),
        across{ray.step.x << log2, ray.step.y << log2, ray.step.z << log2},
        octant(0) {
    out = ray.first + across;
  }

  // The cell of side 2^log2_cell around a voxel of the grid.
  VOX_HD Cell(const Ray& ray, Int3 voxel, uint32_t log2_cell) {
    const uint32_t last = (1u << ray.log2_side) - 1;
    const auto mirrored = [&](int32_t voxel_at, uint32_t axis) {
      const auto along = static_cast<uint32_t>(voxel_at);
      return ray.mirrored >> axis & 1 ? along ^ last : along;
    };
    at = {mirrored(voxel.x, 0), mirrored(voxel.y, 1), mirrored(voxel.z, 2)};
    widen(ray, log2_cell);
  }

  VOX_HD Crossing next() const {
    const Crossing xy = out.x < out.y ? out.x : out.y;
    return xy < out.z ? xy : out.z;
  }

  // Whether the ray is in it at `now`.
  VOX_HD bool holds(Crossing now) const {
    return next() > now && out.x - across.x <= now && out.y - across.y <= now && out.z - across.z <= now;
  }

  // Its lowest corner in the grid, where nothing is mirrored.
  VOX_HD Int3 corner(const Ray& ray) const {
    const uint32_t last = (1u << ray.log2_side) - 1;
    const auto unmirrored = [&](uint32_t low, uint32_t axis) {
      return static_cast<int32_t>((ray.mirrored >> axis & 1 ? low ^ last : low) >> log2 << log2);
    };
    return {unmirrored(at.x, 0), unmirrored(at.y, 1), unmirrored(at.z, 2)};
  }

  // Becomes the eighth that the ray is in at `now`.
  VOX_HD void halve(Crossing now) {
    --log2;
    octant = 0;
    halve_axis(at.x, out.x, across.x, now, 0);
    halve_axis(at.y, out.y, across.y, now, 1);
    halve_axis(at.z, out.z, across.z, now, 2);
  }

  // Becomes the cell that the ray enters by the crossing next(): as wide, or wider where the ray also enters
  // a wider cell there. Where the ray leaves the cube, log2 becomes that of the cube.
  VOX_HD void go_on(const Ray& ray) {
    const uint32_t axis = axis_of(next()), side = 1u << log2;
    // There are no branches on the axis, since which one it is cannot be foreseen.
    const Vec3<uint32_t> ahead = {axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0};
    const Vec3<uint32_t> to = at + ahead;
    if ((octant >> axis & 1) == 0) {  // to its neighbour in the cell twice as wide
      at = to;
      octant |= 1u << axis;
      out.x += axis == 0 ? across.x : 0;
      out.y += axis == 1 ? across.y : 0;
      out.z += axis == 2 ? across.z : 0;
      return;
    }
    const uint32_t changed = (at.x ^ to.x) | (at.y ^ to.y) | (at.z ^ to.z);
    at = to;
    widen(ray, static_cast<uint32_t>(highest_bit(changed)));
  }

 private:
  VOX_HD void halve_axis(uint32_t& low, Crossing& leaves, Crossing& crosses, Crossing now, uint32_t axis) {
    crosses >>= 1;
    const Crossing middle = leaves - crosses;
    if (middle <= now) {
      low += 1u << log2;
      octant |= 1u << axis;
    } else {
      leaves = middle;
    }
  }
  // Becomes the cell of this side around its lowest voxel.
  VOX_HD void widen(const Ray& ray, uint32_t log2_wide) {
    log2 = log2_wide;
    widen_axis(at.x, out.x, across.x, ray.first.x, ray.step.x);
    widen_axis(at.y, out.y, across.y, ray.first.y, ray.step.y);
    widen_axis(at.z, out.z, across.z, ray.first.z, ray.step.z);
    octant = octant_at(at, log2);
  }
  VOX_HD void widen_axis(uint32_t& low, Crossing& leaves, Crossing& crosses, Crossing first,
                         Crossing step) const {
    low = low >> log2 << log2;
    crosses = step << log2;
    leaves = first + static_cast<Crossing>(low + (1u << log2)) * step;
  }
};

}  // namespace vox::render
