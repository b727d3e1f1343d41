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
      : mode_(mode) {
    const Int3 &a = triangle.corner[0], &b = triangle.corner[1], &c = triangle.corner[2];
    const Int3 low = {least(a.x, b.x, c.x), least(a.y, b.y, c.y), least(a.z, b.z, c.z)};
    const Int3 high = {most(a.x, b.x, c.x), most(a.y, b.y, c.y), most(a.z, b.z, c.z)};
    // No vertex lies on a face, so that rounding down gives the box that holds it.
    low_ = {(low.x - origin.x) >> log2_step, (low.y - origin.y) >> log2_step,
            (low.z - origin.z) >> log2_step};
    high_ = {(high.x - origin.x) >> log2_step, (high.y - origin.y) >> log2_step,
             (high.z - origin.z) >> log2_step};
    narrow_ = most(high.x - low.x, high.y - low.y, high.z - low.z) <= kNarrowExtent && log2_step <= 18;

    normal_ = normal_of(triangle);
    const int64_t half = int64_t{1} << (log2_step - 1);
    for (int e = 0; e < 3; ++e) {
      const Int3 &from = triangle.corner[e], &to = triangle.corner[e == 2 ? 0 : e + 1];
      const Vec3<int64_t> edge = wide_difference(to, from);
      const Vec3<int64_t> center = wide_difference(origin, from) + Vec3<int64_t>{half, half, half};
      edges_[kXy][e] = edge_line(edge.x, edge.y, center.x, center.y, normal_.z < 0 ? -1 : 1, log2_step);
      edges_[kYz][e] = edge_line(edge.y, edge.z, center.y, center.z, normal_.x < 0 ? -1 : 1, log2_step);
      edges_[kXz][e] = edge_line(edge.x, edge.z, center.x, center.z, normal_.y < 0 ? 1 : -1, log2_step);
    }
    const Vec3<int64_t> center =
        wide_difference(origin, triangle.corner[0]) + Vec3<int64_t>{half, half, half};
    if (narrow_) {
      set_plane<int64_t>(center, half, log2_step);
    } else {
      set_plane<__int128>(center, half, log2_step);
    }
  }

  // The boxes covered in the lattice of 4³ boxes that lies `place` lattices from the origin, in Morton order.
  VOX_HD uint64_t lattice_at(Int3 place) const {
    const uint32_t x = lattice::range4(low_.x - 4 * place.x, high_.x - 4 * place.x);
    const uint32_t y = lattice::range4(low_.y - 4 * place.y, high_.y - 4 * place.y);
    const uint32_t z = lattice::range4(low_.z - 4 * place.z, high_.z - 4 * place.z);
    if (x == 0 || y == 0 || z == 0) return 0;
    uint64_t rows =
        lattice::from_projections(x * 0x1111, y * 0x1111, 0xffff) & lattice::nibbles_to_groups(z_rows(z));
    rows = narrow_ ? inside<int32_t, int64_t>(place, rows) : inside<int64_t, __int128>(place, rows);
    return lattice::rows_to_morton(rows);
  }

 private:
  // first + i·u + j·v >= 0: square (i, j) of a projection is within reach of the inner side of an edge.
  struct EdgeLine {
    int64_t first, u, v;
  };
  enum Projection { kXy, kYz, kXz };

  VOX_HD static int32_t least(int32_t a, int32_t b, int32_t c) {
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
  }
  VOX_HD static int32_t most(int32_t a, int32_t b, int32_t c) {
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
  }
  VOX_HD static uint32_t z_rows(uint32_t z) {
    return (z & 1) * 0xf | (z >> 1 & 1) * 0xf0 | (z >> 2 & 1) * 0xf00 | (z >> 3 & 1) * 0xf000;
  }

  // `sign` turns the edge so that the inside is on its left.
  VOX_HD EdgeLine edge_line(int64_t edge_u, int64_t edge_v, int64_t center_u, int64_t center_v, int64_t sign,
                            int log2_step) const {
    const int64_t u = -sign * edge_v, v = sign * edge_u;
    const int64_t reach =
        mode_ == Coverage::Conservative ? absolute(u) + absolute(v) : larger(absolute(u), absolute(v));
    const int64_t half = int64_t{1} << (log2_step - 1);
    return {(u * center_u + v * center_v + half * reach) >> log2_step, u, v};
  }

  template <class Number>
  VOX_HD void set_plane(Vec3<int64_t> center, int64_t half, int log2_step) {
    const int64_t x = absolute(normal_.x), y = absolute(normal_.y), z = absolute(normal_.z);
    const Number distance =
        Number(normal_.x) * center.x + Number(normal_.y) * center.y + Number(normal_.z) * center.z;
    const Number reach = Number(mode_ == Coverage::Conservative ? x + y + z : larger(x, larger(y, z))) * half;
    below_ = (reach + distance) >> log2_step;
    above_ = (reach - distance) >> log2_step;
  }

  template <class EdgeNumber, class PlaneNumber>
  VOX_HD uint64_t inside(Int3 place, uint64_t rows) const {
    const uint32_t xy = projection<EdgeNumber>(kXy, place.x, place.y);
    if (xy == 0) return 0;
    const uint32_t yz = projection<EdgeNumber>(kYz, place.y, place.z);
    if (yz == 0) return 0;
    const uint32_t xz = projection<EdgeNumber>(kXz, place.x, place.z);
    if (xz == 0) return 0;
    if ((xy & yz & xz) != 0xffff) rows &= lattice::from_projections(xy, yz, xz);
    return rows == 0 ? 0 : near_plane<PlaneNumber>(place, rows);
  }

  // Bits i + 4·j of the squares of a projection that are within reach of the inner side of all three edges.
  template <class Number>
  VOX_HD uint32_t projection(Projection which, int32_t place_u, int32_t place_v) const {
    uint32_t outside = 0;
    for (int e = 0; e < 3; ++e) {
      const EdgeLine line = edges_[which][e];
      const int64_t first = line.first + 4 * (line.u * place_u + line.v * place_v);
      if (first + 3 * ((line.u < 0 ? line.u : 0) + (line.v < 0 ? line.v : 0)) >= 0) continue;
      if (first + 3 * ((line.u > 0 ? line.u : 0) + (line.v > 0 ? line.v : 0)) < 0) return 0;
      // Here |first| is at most 6 times the edge, which is what makes 32 bits enough.
      for (int j = 0; j < 4; ++j)
        outside |= lattice::negative_row(static_cast<Number>(first + j * line.v), static_cast<Number>(line.u))
                   << 4 * j;
    }
    return ~outside & 0xffff;
  }

  // Removes the boxes whose centre is out of reach of the plane.
  template <class Number>
  VOX_HD uint64_t near_plane(Int3 place, uint64_t rows) const {
    const Number x = normal_.x, y = normal_.y, z = normal_.z;
    const Number offset = 4 * (x * place.x + y * place.y + z * place.z);
    const Number below = static_cast<Number>(below_) + offset;  // >= 0: not too far below the plane
    const Number above = static_cast<Number>(above_) - offset;
    uint64_t outside = 0;
    for (int row = 0; row < 16; ++row) {
      if ((rows >> 4 * row & 15) == 0) continue;
      const Number shift = y * (row & 3) + z * (row >> 2);
      const uint32_t bits = lattice::negative_row(Number(below + shift), x) |
                            lattice::negative_row(Number(above - shift), Number(-x));
      outside |= static_cast<uint64_t>(bits) << 4 * row;
    }
    return rows & ~outside;
  }

  Coverage mode_;
  bool narrow_;
  Int3 low_, high_;  // the triangle's bounding box, in boxes from the origin
  Vec3<int64_t> normal_;
  __int128 below_, above_;  // of the box at the origin
  EdgeLine edges_[3][3];
};

}  // namespace vox
