// The cell that a ray is in: a cube whose side is a power of two, at a multiple of its side. Everything is
// computed in integers.
#pragma once

#include "libvox/base/bits.h"
#include "libvox/base/morton.h"
#include "libvox/render/ray.h"

namespace vox::render {

struct Cell {
  Vec3<uint32_t> at;   // 12 B, its lowest corner in mirrored coordinates
  uint32_t log2;       // 4 B, log2 of its side
  Vec3<Crossing> out;  // 24 B, the crossings at which the ray leaves it along each axis
  uint32_t octant;     // 4 B, its mirrored octant, in Morton order, in the cell twice as wide

  // Makes the cell that is the whole cube.
  VOX_HD explicit Cell(const Ray& ray) : at{0, 0, 0}, log2(ray.log2_side), out(ends(ray)), octant(0) {}

  // Makes the cell of side 2^log2_cell around a voxel of the grid.
  VOX_HD Cell(const Ray& ray, Int3 voxel, uint32_t log2_cell) {
    const uint32_t last = (1u << ray.log2_side) - 1;
    const auto mirrored = [&](int32_t voxel_at, uint32_t axis) {
      const auto along = static_cast<uint32_t>(voxel_at);
      return ray.mirrored >> axis & 1 ? along ^ last : along;
    };
    at = {mirrored(voxel.x, 0), mirrored(voxel.y, 1), mirrored(voxel.z, 2)};
    set_side(ray, log2_cell);
  }

  VOX_HD Crossing next() const {
    const Crossing xy = out.x < out.y ? out.x : out.y;
    return xy < out.z ? xy : out.z;
  }

  // True if the ray is in the cell at `now`.
  VOX_HD bool holds(const Ray& ray, Crossing now) const {
    return next() > now && plane(ray.first.x, ray.step.x, at.x) <= now &&
           plane(ray.first.y, ray.step.y, at.y) <= now && plane(ray.first.z, ray.step.z, at.z) <= now;
  }

  // Returns its lowest corner in the grid, where nothing is mirrored.
  VOX_HD Int3 corner(const Ray& ray) const {
    const uint32_t last = (1u << ray.log2_side) - 1;
    const auto unmirrored = [&](uint32_t low, uint32_t axis) {
      return static_cast<int32_t>((ray.mirrored >> axis & 1 ? low ^ last : low) >> log2 << log2);
    };
    return {unmirrored(at.x, 0), unmirrored(at.y, 1), unmirrored(at.z, 2)};
  }

  // Becomes the eighth that the ray is in at `now`.
  VOX_HD void halve(const Ray& ray, Crossing now) {
    --log2;
    octant = 0;
    halve_axis(at.x, out.x, ray.first.x, ray.step.x, now, 0);
    halve_axis(at.y, out.y, ray.first.y, ray.step.y, now, 1);
    halve_axis(at.z, out.z, ray.first.z, ray.step.z, now, 2);
  }

  // Becomes the cell that the ray enters at the crossing next(). The cell is as wide as before, or wider if
  // the ray also enters a wider cell there. If the ray leaves the cube, the cell becomes as wide as the cube.
  VOX_HD void go_on(const Ray& ray) {
    const uint32_t axis = axis_of(next()), side = 1u << log2;
    // There are no branches on the axis or on the cell's width, because neither can be predicted.
    const Vec3<uint32_t> ahead = {axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0};
    const Vec3<uint32_t> to = at + ahead;
    const uint32_t changed = (at.x ^ to.x) | (at.y ^ to.y) | (at.z ^ to.z);
    at = to;
    set_side(ray, static_cast<uint32_t>(highest_bit(changed)));
  }

 private:
  // Returns when the ray crosses a plane. A GPU does this in one multiply-add, so nothing is kept from cell
  // to cell.
  VOX_HD static Crossing plane(Crossing first, Crossing step, uint32_t number) {
    return first + static_cast<Crossing>(number) * step;
  }
  VOX_HD void halve_axis(uint32_t& low, Crossing& leaves, Crossing first, Crossing step, Crossing now,
                         uint32_t axis) {
    const uint32_t half = low + (1u << log2);
    const Crossing middle = plane(first, step, half);
    const bool upper = middle <= now;
    low = upper ? half : low;
    leaves = upper ? leaves : middle;
    octant |= upper ? 1u << axis : 0;
  }
  // Becomes the cell of this side around its lowest voxel.
  VOX_HD void set_side(const Ray& ray, uint32_t log2_wide) {
    log2 = log2_wide;
    const uint32_t low_bits = (1u << log2) - 1;
    at = {at.x & ~low_bits, at.y & ~low_bits, at.z & ~low_bits};
    out = ends(ray);
    octant = octant_at(at, log2);
  }
  // Returns when the ray crosses the far plane of each axis.
  VOX_HD Vec3<Crossing> ends(const Ray& ray) const {
    const uint32_t side = 1u << log2;
    return {plane(ray.first.x, ray.step.x, at.x + side), plane(ray.first.y, ray.step.y, at.y + side),
            plane(ray.first.z, ray.step.z, at.z + side)};
  }
};

}  // namespace vox::render
