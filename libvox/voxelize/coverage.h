// Which boxes of a 4 × 4 × 4 lattice a triangle covers, decided in integers (Schwarz & Seidel 2010, §4): the
// one test behind every level of the descent and behind the voxels themselves.
//
// A triangle covers a box when (1) the bounding boxes meet, (2) the triangle's plane comes within `reach` of
// the box's centre, and (3) in each of the three projections along an axis the centre is within `reach` of
// the inner side of all three edges. With reach = half the box measured along the normal in the 1-norm the
// boxes are whole cubes (conservative, 26-separating); in the maximum norm they shrink to the octahedra
// between the faces' centres (thin, 6-separating). All inequalities include equality.
//
// Every test has the form  first + (i·a + j·b + k·c)·step >= 0  with integers and a step that is a power of
// two, which is the same as  floor(first / step) + i·a + j·b + k·c >= 0:  the numbers that are added are as
// small as the triangle, and the tests of a row of boxes are sign bits.
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/voxelize/lattice.h"
#include "libvox/voxelize/triangle.h"

namespace vox {

VOX_HD inline int64_t absolute(int64_t v) {
  return v < 0 ? -v : v;
}

VOX_HD inline int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

VOX_HD inline Vec3<int64_t> wide_difference(Int3 a, Int3 b) {
  return {int64_t{a.x} - b.x, int64_t{a.y} - b.y, int64_t{a.z} - b.z};
}

VOX_HD inline Vec3<int64_t> normal_of(const TriangleShape& triangle) {
  return cross(wide_difference(triangle.corner[1], triangle.corner[0]),
               wide_difference(triangle.corner[2], triangle.corner[0]));
}

// The longest extent along an axis, in units.
VOX_HD inline int64_t extent_of(const TriangleShape& triangle) {
  int64_t extent = 0;
  for (int e = 0; e < 3; ++e) {
    const Vec3<int64_t> edge = wide_difference(triangle.corner[e == 2 ? 0 : e + 1], triangle.corner[e]);
    extent = larger(extent, larger(absolute(edge.x), larger(absolute(edge.y), absolute(edge.z))));
  }
  return extent;
}

// Triangles up to this size have products of their normal with nearby differences that fit in 64 bits.
inline constexpr int64_t kNarrowExtent = 1 << 19;

// A triangle set up for boxes of one size near one place.
class CoverageTest {
 public:
  // For the lattice of boxes of side 2^log2_step units (at least one voxel) whose lowest corner is `origin`,
  // and for those beside it.
  VOX_HD CoverageTest(const TriangleShape& triangle, Int3 origin, int log2_step, Coverage mode)
      : triangle_(triangle),
        origin_(origin),
        log2_step_(log2_step),
        mode_(mode),
        normal_(normal_of(triangle)) {
    Int3 low = triangle.corner[0], high = low;
    for (int i = 1; i < 3; ++i) {
      const Int3 c = triangle.corner[i];
      low = {c.x < low.x ? c.x : low.x, c.y < low.y ? c.y : low.y, c.z < low.z ? c.z : low.z};
      high = {c.x > high.x ? c.x : high.x, c.y > high.y ? c.y : high.y, c.z > high.z ? c.z : high.z};
    }
    // No vertex lies on a face, so that rounding down gives the box that holds it.
    low_ = {(low.x - origin.x) >> log2_step, (low.y - origin.y) >> log2_step,
            (low.z - origin.z) >> log2_step};
    high_ = {(high.x - origin.x) >> log2_step, (high.y - origin.y) >> log2_step,
             (high.z - origin.z) >> log2_step};
    const Int3 d = {high.x - low.x, high.y - low.y, high.z - low.z};
    const int32_t extent = d.x > d.y ? (d.x > d.z ? d.x : d.z) : (d.y > d.z ? d.y : d.z);
    narrow_ = extent <= kNarrowExtent && log2_step <= 18;
  }

  // The boxes covered in the lattice of 4³ boxes that lies `place` lattices from the origin, in Morton order.
  VOX_HD uint64_t lattice_at(Int3 place) const {
    const uint32_t x = lattice::range4(low_.x - 4 * place.x, high_.x - 4 * place.x);
    const uint32_t y = lattice::range4(low_.y - 4 * place.y, high_.y - 4 * place.y);
    const uint32_t z = lattice::range4(low_.z - 4 * place.z, high_.z - 4 * place.z);
    if (x == 0 || y == 0 || z == 0) return 0;
    uint64_t rows = lattice::from_projections(x * 0x1111, y * 0x1111, 0xffff) & z_planes(z);
    rows = narrow_ ? edges_and_plane<int32_t, int64_t>(place, rows)
                   : edges_and_plane<int64_t, __int128>(place, rows);
    return lattice::rows_to_morton(rows);
  }

 private:
  VOX_HD static uint64_t z_planes(uint32_t z) {
    return lattice::nibbles_to_groups((z & 1) * 0xf | (z >> 1 & 1) * 0xf0 | (z >> 2 & 1) * 0xf00 |
                                      (z >> 3 & 1) * 0xf000);
  }

  template <class EdgeNumber, class PlaneNumber>
  VOX_HD uint64_t edges_and_plane(Int3 place, uint64_t rows) const {
    const uint32_t xy = projection<EdgeNumber>(&Int3::x, &Int3::y, place.x, place.y, normal_.z < 0 ? -1 : 1);
    if (xy == 0) return 0;
    const uint32_t yz = projection<EdgeNumber>(&Int3::y, &Int3::z, place.y, place.z, normal_.x < 0 ? -1 : 1);
    if (yz == 0) return 0;
    const uint32_t xz = projection<EdgeNumber>(&Int3::x, &Int3::z, place.x, place.z, normal_.y < 0 ? 1 : -1);
    rows &= lattice::from_projections(xy, yz, xz);
    return rows == 0 ? 0 : plane<PlaneNumber>(place, rows);
  }

  VOX_HD int64_t reach(int64_t a, int64_t b) const {
    return mode_ == Coverage::Conservative ? absolute(a) + absolute(b) : larger(absolute(a), absolute(b));
  }

  // Bits i + 4·j of the squares of a projection that are within reach of the inner side of all three edges.
  // `sign` turns the edges so that the inside is on their left.
  template <class Number>
  VOX_HD uint32_t projection(int32_t Int3::*u, int32_t Int3::*v, int32_t place_u, int32_t place_v,
                             int64_t sign) const {
    const int64_t half = int64_t{1} << (log2_step_ - 1);
    uint32_t outside = 0;
    for (int e = 0; e < 3; ++e) {
      const Int3 &from = triangle_.corner[e], &to = triangle_.corner[e == 2 ? 0 : e + 1];
      const int64_t a = -sign * (int64_t{to.*v} - from.*v), b = sign * (int64_t{to.*u} - from.*u);
      const int64_t at_origin = a * (origin_.*u - int64_t{from.*u} + half) +
                                b * (origin_.*v - int64_t{from.*v} + half) + half * reach(a, b);
      const int64_t first = (at_origin >> log2_step_) + 4 * (a * place_u + b * place_v);
      const int64_t low = (a < 0 ? 3 * a : 0) + (b < 0 ? 3 * b : 0),
                    high = (a > 0 ? 3 * a : 0) + (b > 0 ? 3 * b : 0);
      if (first + low >= 0) continue;
      if (first + high < 0) return 0;
      // Here |first| is at most 6 times the edge, which is what makes 32 bits enough.
      for (int j = 0; j < 4; ++j)
        outside |= lattice::negative_row(static_cast<Number>(first + j * b), static_cast<Number>(a)) << 4 * j;
    }
    return ~outside & 0xffff;
  }

  // Removes the boxes whose centre is out of reach of the plane.
  template <class Number>
  VOX_HD uint64_t plane(Int3 place, uint64_t rows) const {
    const int64_t half = int64_t{1} << (log2_step_ - 1);
    const Vec3<int64_t> d = wide_difference(origin_, triangle_.corner[0]);
    const Number at_origin = Number(normal_.x) * (d.x + half) + Number(normal_.y) * (d.y + half) +
                             Number(normal_.z) * (d.z + half);
    const int64_t x = absolute(normal_.x), y = absolute(normal_.y), z = absolute(normal_.z);
    const Number reach = Number(mode_ == Coverage::Conservative ? x + y + z : larger(x, larger(y, z))) * half;
    const Number offset =
        4 * (Number(normal_.x) * place.x + Number(normal_.y) * place.y + Number(normal_.z) * place.z);
    const Number below = ((reach + at_origin) >> log2_step_) + offset;  // >= 0: not too far below the plane
    const Number above = ((reach - at_origin) >> log2_step_) - offset;
    uint64_t outside = 0;
    for (int row = 0; row < 16; ++row) {
      if ((rows >> 4 * row & 15) == 0) continue;
      const Number shift = Number(normal_.y) * (row & 3) + Number(normal_.z) * (row >> 2);
      const uint32_t bits = lattice::negative_row(Number(below + shift), Number(normal_.x)) |
                            lattice::negative_row(Number(above - shift), Number(-normal_.x));
      outside |= static_cast<uint64_t>(bits) << 4 * row;
    }
    return rows & ~outside;
  }

  const TriangleShape& triangle_;
  Int3 origin_;
  int log2_step_;
  Coverage mode_;
  Vec3<int64_t> normal_;
  Int3 low_, high_;  // the triangle's bounding box, in boxes from the origin
  bool narrow_;
};

}  // namespace vox
