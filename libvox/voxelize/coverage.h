// Decides in integers which boxes of a 4 × 4 × 4 lattice a triangle covers (Schwarz & Seidel 2010, §4). Every
// level of the descent and the voxels themselves use this one test.
//
// A triangle covers a box if (1) the bounding boxes meet, (2) the triangle's plane comes within `reach` of
// the box's center, and (3) in each of the three projections along an axis the center is within `reach` of
// the inner side of all three edges. With half a side times the normal's 1-norm as `reach`, boxes are whole
// cubes (conservative, 26-separating). With the maximum norm they shrink to the octahedra between the faces'
// centers (thin, 6-separating). All inequalities include equality.
//
// Every test has the form  first + (i·a + j·b + k·c)·step >= 0  with integers and a step that is a power of
// two, which is the same as  floor(first / step) + i·a + j·b + k·c >= 0.  So the numbers that are added are as
// small as the triangle, and the tests of a row of boxes are sign bits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/lattice.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

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

// True if the ray through (y, z) along x meets the triangle. A point on an edge that two triangles share
// belongs to exactly one of them.
VOX_HD inline bool ray_meets(const TriangleShape& triangle, int64_t sign, int32_t y, int32_t z) {
  for (int e = 0; e < 3; ++e) {
    const Int3 &from = triangle.corner[e], &to = triangle.corner[e == 2 ? 0 : e + 1];
    const int64_t a = -sign * (int64_t{to.z} - from.z), b = sign * (int64_t{to.y} - from.y);
    const int64_t side = a * (int64_t{y} - from.y) + b * (int64_t{z} - from.z);
    if (side < 0 || (side == 0 && !(a > 0 || (a == 0 && b > 0)))) return false;
  }
  return true;
}

// Returns the point's distance along x from the triangle's plane, times |normal.x|. It is positive
// behind the plane.
template <class Number>
VOX_HD Number behind_plane(const TriangleShape& triangle, Vec3<int64_t> normal, int64_t sign, int32_t x,
                           int32_t y, int32_t z) {
  const Int3 v = triangle.corner[0];
  return Number(sign) * (Number(normal.x) * (int64_t{x} - v.x) + Number(normal.y) * (int64_t{y} - v.y) +
                         Number(normal.z) * (int64_t{z} - v.z));
}

// Returns the triangle's longest extent along an axis, in units.
VOX_HD inline int64_t extent_of(const TriangleShape& triangle) {
  int64_t extent = 0;
  for (int e = 0; e < 3; ++e) {
    const Vec3<int64_t> edge = wide_difference(triangle.corner[e == 2 ? 0 : e + 1], triangle.corner[e]);
    extent = larger(extent, larger(absolute(edge.x), larger(absolute(edge.y), absolute(edge.z))));
  }
  return extent;
}

// The following bounds on the tests' numbers hold for edges of at most E units along each axis and boxes of
// side S. A box that is tested lies in a cell with a side of at most 16 S that the triangle touches.
//
//   box center - vertex   |d|           <= E + 16 S
//   edge                  |u|           <= E
//   normal                |n|           <= 2 E² along each axis, as a cross product of two edges
//   edge test             |u·d| + reach <= 2 E (E + 16 S) + E S
//   plane test            |n·d| + reach <= 6 E² (E + 16 S) + 3 E² S
//
// With E = 2^19 and S = 2^18 (kNarrowLog2Step) the plane test is at most 111 · 2^56, which is below 2^63:
// int64_t holds it. An edge test divided by S is clamped to 2^30; the boxes of a cell add at most 30 E to it,
// so that it stays below 2^31: int32_t holds it.
inline constexpr int64_t kNarrowExtent = 1 << 19;

// The bounding box of a triangle, counted in boxes of side 2^log2_step from `origin`. No vertex lies on a
// face, so that rounding down gives the box that holds the vertex.
struct BoxRange {
  Int3 low, high;

  VOX_HD BoxRange(const TriangleShape& triangle, Int3 origin, int log2_step) {
    const Int3 &a = triangle.corner[0], &b = triangle.corner[1], &c = triangle.corner[2];
    low = {(least(a.x, b.x, c.x) - origin.x) >> log2_step, (least(a.y, b.y, c.y) - origin.y) >> log2_step,
           (least(a.z, b.z, c.z) - origin.z) >> log2_step};
    high = {(most(a.x, b.x, c.x) - origin.x) >> log2_step, (most(a.y, b.y, c.y) - origin.y) >> log2_step,
            (most(a.z, b.z, c.z) - origin.z) >> log2_step};
  }

  // Returns the boxes of one lattice that are in the range, in row order. The lattice lies `place` lattices
  // from the origin.
  VOX_HD uint64_t rows(Int3 place) const {
    const uint32_t x = lattice::range4(low.x - 4 * place.x, high.x - 4 * place.x);
    const uint32_t y = lattice::range4(low.y - 4 * place.y, high.y - 4 * place.y);
    const uint32_t z = lattice::range4(low.z - 4 * place.z, high.z - 4 * place.z);
    if (x == 0 || y == 0 || z == 0) return 0;
    return x * 0x1111111111111111ull & lattice::bits_to_nibbles(y) * 0x0001000100010001ull &
           lattice::bits_to_groups(z);
  }

 private:
  VOX_HD static int32_t least(int32_t a, int32_t b, int32_t c) {
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
  }
  VOX_HD static int32_t most(int32_t a, int32_t b, int32_t c) {
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
  }
};

// Clamps the value of a test to ±2^30 if it is kept in 32 bits. Only the sign of such a value matters: over
// all lattices of a cell the tests add at most 15 steps either way.
template <class Number, class Wide>
VOX_HD Number clamped(Wide value) {
  if constexpr (sizeof(Number) > sizeof(int32_t)) {
    return static_cast<Number>(value);
  } else {
    constexpr int32_t kFar = 1 << 30;
    return value > kFar ? kFar : value < -kFar ? -kFar : static_cast<Number>(value);
  }
}

// An edge in a projection along an axis. Square (i, j) of the lattice is within reach of the edge's inner
// side if first + i·u + j·v >= 0.
template <class Number>
struct EdgeLine {
  Number first, u, v;

  // `center` is the center of the first box, relative to the edge's first vertex. The sign turns the edge so
  // that the inside is on its left.
  VOX_HD EdgeLine(int64_t edge_u, int64_t edge_v, int64_t center_u, int64_t center_v, int64_t sign,
                  int log2_step, scene::Coverage mode) {
    const int64_t inward_u = -sign * edge_v, inward_v = sign * edge_u;
    const int64_t reach = mode == scene::Coverage::Conservative
                              ? absolute(inward_u) + absolute(inward_v)
                              : larger(absolute(inward_u), absolute(inward_v));
    const int64_t half = int64_t{1} << (log2_step - 1);
    first = clamped<Number>((inward_u * center_u + inward_v * center_v + half * reach) >> log2_step);
    u = static_cast<Number>(inward_u);
    v = static_cast<Number>(inward_v);
  }

  // The smallest and the largest amount that one of the 16 squares adds.
  VOX_HD Number lowest() const { return 3 * ((u < 0 ? u : 0) + (v < 0 ? v : 0)); }
  VOX_HD Number highest() const { return 3 * ((u > 0 ? u : 0) + (v > 0 ? v : 0)); }
};

// If no component of the normal is larger than this, the sum of nine components and a clamped distance fits
// in 32 bits.
inline constexpr int64_t kShortNormal = 1 << 26;

// The distances, in steps, of a box's center from the two limits of the reach, below the plane and
// above it. Neither is negative if the center is within reach.
template <class Number>
struct PlaneReach {
  Number below, above;
};

// Returns the plane test of the box at `origin`.
template <class Number>
VOX_HD PlaneReach<Number> plane_reach(const TriangleShape& triangle, Vec3<int64_t> normal, Int3 origin,
                                      int log2_step, scene::Coverage mode) {
  const int64_t half = int64_t{1} << (log2_step - 1);
  const Vec3<int64_t> center = wide_difference(origin, triangle.corner[0]) + Vec3<int64_t>{half, half, half};
  const int64_t x = absolute(normal.x), y = absolute(normal.y), z = absolute(normal.z);
  const Number distance =
      Number(normal.x) * center.x + Number(normal.y) * center.y + Number(normal.z) * center.z;
  const Number reach =
      Number(mode == scene::Coverage::Conservative ? x + y + z : larger(x, larger(y, z))) * half;
  return {(reach + distance) >> log2_step, (reach - distance) >> log2_step};
}

// Removes from a lattice in row order the boxes whose center is out of reach of the plane. `reach` belongs to
// the lattice's first box.
template <class Number, class Wide>
VOX_HD uint64_t near_plane(uint64_t rows, Vec3<int64_t> normal, PlaneReach<Wide> reach) {
  const Number below = clamped<Number>(reach.below), above = clamped<Number>(reach.above);
  const Number x = static_cast<Number>(normal.x), y = static_cast<Number>(normal.y),
               z = static_cast<Number>(normal.z);
  // The largest and the smallest amount that a layer's squares add to `below`.
  const Number rise = 3 * ((x > 0 ? x : 0) + (y > 0 ? y : 0)), fall = 3 * ((x < 0 ? x : 0) + (y < 0 ? y : 0));
  uint64_t outside = 0;
#ifdef VOX_SQUARES
  if constexpr (std::is_same_v<Number, int32_t>) {
    const lattice::Squares slope = lattice::Squares::slope(x, y);
    for (int k = 0; k < 4; ++k)
      outside |= uint64_t{((slope + (below + z * k)) | slope.below(above - z * k)).negative()} << 16 * k;
    return rows & ~outside;
  }
#endif
  for (int k = 0; k < 4; ++k) {
    if ((rows >> 16 * k & 0xffff) == 0) continue;
    if (below + z * k + rise < 0 || above - z * k - fall < 0) {
      outside |= uint64_t{0xffff} << 16 * k;
      continue;
    }
    const uint32_t slab = lattice::negative_squares(static_cast<Number>(below + z * k), x, y,
                                                    static_cast<Number>(above - z * k),
                                                    static_cast<Number>(-x), static_cast<Number>(-y));
    outside |= static_cast<uint64_t>(slab) << 16 * k;
  }
  return rows & ~outside;
}

// The test of one triangle, set up for boxes of one size near one place. EdgeNumber and PlaneNumber hold the
// tests' values: int32_t and int64_t for triangles up to kNarrowExtent and boxes up to kNarrowLog2Step,
// int64_t and __int128 for all others.
template <class EdgeNumber, class PlaneNumber>
class CoverageTest {
 public:
  // Sets the test up for the lattice of boxes of side 2^log2_step units (at least one voxel) whose lowest
  // corner is `origin`, and for the lattices up to three further along each axis.
  VOX_HD CoverageTest(const TriangleShape& triangle, Int3 origin, int log2_step, scene::Coverage mode)
      : mode_(mode), range_(triangle, origin, log2_step), normal_(normal_of(triangle)) {
    const int64_t half = int64_t{1} << (log2_step - 1);
    const Vec3<int64_t> halves = {half, half, half};
    for (int e = 0; e < 3; ++e) {
      const Int3 &from = triangle.corner[e], &to = triangle.corner[e == 2 ? 0 : e + 1];
      const Vec3<int64_t> edge = wide_difference(to, from), center = wide_difference(origin, from) + halves;
      // The sign turns an edge so that the inside is on its left.
      set_line(kXy + e, edge.x, edge.y, center.x, center.y, normal_.z < 0 ? -1 : 1, log2_step);
      set_line(kYz + e, edge.y, edge.z, center.y, center.z, normal_.x < 0 ? -1 : 1, log2_step);
      set_line(kXz + e, edge.x, edge.z, center.x, center.z, normal_.y < 0 ? 1 : -1, log2_step);
    }
    for (int l = kUsedLines; l < kLines; ++l) first_[l] = u_[l] = v_[l] = low_[l] = high_[l] = 0;
    reach_ = plane_reach<PlaneNumber>(triangle, normal_, origin, log2_step, mode);
    short_normal_ =
        larger(absolute(normal_.x), larger(absolute(normal_.y), absolute(normal_.z))) <= kShortNormal;
  }

  // Returns the covered boxes of the lattice of 4³ boxes that lies `place` lattices from the origin, in
  // Morton order.
  VOX_HD uint64_t lattice_at(Int3 place) const {
    uint64_t rows = range_.rows(place);
    if (rows == 0) return 0;
    rows = inside_edges(place, rows);
    if (rows != 0)
      rows = short_normal_ ? near_plane<int32_t>(rows, normal_, reach_at(place))
                           : near_plane<PlaneNumber>(rows, normal_, reach_at(place));
    return lattice::rows_to_morton(rows);
  }

 private:
  // Lines 0–2 are the edges in the x-y projection, lines 3–5 in y-z, lines 6–8 in x-z. Square (i, j) of a
  // projection is within reach of the inner side of line l if first_[l] + i·u_[l] + j·v_[l] >= 0. Lines 9–11
  // hold everywhere; they complete the last vector, because four lines make one vector.
  enum { kXy = 0, kYz = 3, kXz = 6, kUsedLines = 9, kLines = 12 };
  // True if the processor computes a line's value for all squares at once (lattice.h).
  static constexpr bool kInSquares = std::is_same_v<EdgeNumber, int32_t>;

  VOX_HD void set_line(int line, int64_t edge_u, int64_t edge_v, int64_t center_u, int64_t center_v,
                       int64_t sign, int log2_step) {
    const EdgeLine<EdgeNumber> edge(edge_u, edge_v, center_u, center_v, sign, log2_step, mode_);
    first_[line] = edge.first;
    u_[line] = edge.u;
    v_[line] = edge.v;
#ifdef VOX_SQUARES
    if constexpr (kInSquares) {
      slopes_[line] = lattice::Squares::slope(edge.u, edge.v);
      return;
    }
#endif
    low_[line] = edge.lowest();
    high_[line] = edge.highest();
  }

  VOX_HD uint64_t inside_edges(Int3 place, uint64_t rows) const {
#ifdef VOX_SQUARES
    if constexpr (kInSquares) {
      const auto outside = [&](int lines, int32_t place_u, int32_t place_v) {
        const auto of = [&](int l) {
          return slopes_[l] + (first_[l] + 4 * (u_[l] * place_u + v_[l] * place_v));
        };
        return (of(lines) | of(lines + 1) | of(lines + 2)).negative();
      };
      return rows & ~(lattice::over_z(outside(kXy, place.x, place.y)) |
                      lattice::over_x(outside(kYz, place.y, place.z)) |
                      lattice::over_y(outside(kXz, place.x, place.z)));
    }
#endif
    const EdgeNumber place_u[kLines] = {place.x, place.x, place.x, place.y, place.y, place.y,
                                        place.x, place.x, place.x, 0,       0,       0};
    const EdgeNumber place_v[kLines] = {place.y, place.y, place.y, place.z, place.z, place.z,
                                        place.z, place.z, place.z, 0,       0,       0};
    EdgeNumber first[kLines], low[kLines], high[kLines];
    for (int l = 0; l < kLines; ++l) {
      first[l] = first_[l] + 4 * (u_[l] * place_u[l] + v_[l] * place_v[l]);
      low[l] = first[l] + low_[l];
      high[l] = first[l] + high_[l];
    }
    if (lattice::negative_bits(high) != 0) return 0;
    for (uint32_t crossing = lattice::negative_bits(low); crossing != 0; crossing &= crossing - 1) {
      const int l = lowest_bit(crossing);
      // The squares outside of the edge.
      const uint32_t squares = lattice::negative_squares(first[l], u_[l], v_[l]);
      rows &= ~(l < kYz   ? lattice::over_z(squares)
                : l < kXz ? lattice::over_x(squares)
                          : lattice::over_y(squares));
    }
    return rows;
  }

  // Returns the plane test of the first box of a lattice.
  VOX_HD PlaneReach<PlaneNumber> reach_at(Int3 place) const {
    const PlaneNumber offset = 4 * (PlaneNumber(normal_.x) * place.x + PlaneNumber(normal_.y) * place.y +
                                    PlaneNumber(normal_.z) * place.z);
    return {reach_.below + offset, reach_.above - offset};
  }

  scene::Coverage mode_;
  bool short_normal_;
  BoxRange range_;
  Vec3<int64_t> normal_;
  PlaneReach<PlaneNumber> reach_;  // for the box at the origin
  EdgeNumber first_[kLines], u_[kLines], v_[kLines];
#ifdef VOX_SQUARES
  lattice::Squares slopes_[kInSquares ? kUsedLines : 1];  // i·u_ + j·v_, instead of low_ and high_
#endif
  EdgeNumber low_[kLines], high_[kLines];  // the least and the most that a lattice's squares add to first_
};

// Returns the boxes that a CoverageTest covers in the lattice at its origin, in Morton order. This function
// checks one inequality after the other, because a thread of a GPU has too few registers to keep all of them.
template <class EdgeNumber, class PlaneNumber>
VOX_HD uint64_t covered_lattice(const TriangleShape& triangle, Int3 origin, int log2_step,
                                scene::Coverage mode) {
  uint64_t rows = BoxRange(triangle, origin, log2_step).rows({0, 0, 0});
  const Vec3<int64_t> normal = normal_of(triangle);
  const int64_t half = int64_t{1} << (log2_step - 1);
  // Removes the boxes over the squares that lie beyond an edge. `over` maps squares to boxes.
  const auto take = [&](int64_t edge_u, int64_t edge_v, int64_t center_u, int64_t center_v, int64_t sign,
                        auto over) {
    const EdgeLine<EdgeNumber> line(edge_u, edge_v, center_u, center_v, sign, log2_step, mode);
    if (line.first + line.highest() < 0) rows = 0;
    if (rows == 0 || line.first + line.lowest() >= 0) return;
    rows &= ~over(lattice::negative_squares(line.first, line.u, line.v));
  };
  for (int e = 0; e < 3; ++e) {
    const Int3 &from = triangle.corner[e], &to = triangle.corner[e == 2 ? 0 : e + 1];
    const Vec3<int64_t> edge = wide_difference(to, from),
                        center = wide_difference(origin, from) + Vec3<int64_t>{half, half, half};
    take(edge.x, edge.y, center.x, center.y, normal.z < 0 ? -1 : 1,
         [](uint64_t squares) { return lattice::over_z(squares); });
    take(edge.y, edge.z, center.y, center.z, normal.x < 0 ? -1 : 1,
         [](uint64_t squares) { return lattice::over_x(squares); });
    take(edge.x, edge.z, center.x, center.z, normal.y < 0 ? 1 : -1,
         [](uint64_t squares) { return lattice::over_y(squares); });
  }
  if (rows == 0) return 0;
  const PlaneReach<PlaneNumber> reach = plane_reach<PlaneNumber>(triangle, normal, origin, log2_step, mode);
  const bool short_normal =
      larger(absolute(normal.x), larger(absolute(normal.y), absolute(normal.z))) <= kShortNormal;
  return lattice::rows_to_morton(short_normal ? near_plane<int32_t>(rows, normal, reach)
                                              : near_plane<PlaneNumber>(rows, normal, reach));
}

inline constexpr int kNarrowLog2Step = 18;

VOX_HD inline bool is_narrow(const TriangleShape& triangle, int log2_step) {
  return log2_step <= kNarrowLog2Step && extent_of(triangle) <= kNarrowExtent;
}

// Does the same, and chooses numbers that are wide enough for the triangle.
VOX_HD inline uint64_t covered_lattice(const TriangleShape& triangle, Int3 origin, int log2_step,
                                       scene::Coverage mode) {
  return is_narrow(triangle, log2_step)
             ? covered_lattice<int32_t, int64_t>(triangle, origin, log2_step, mode)
             : covered_lattice<int64_t, __int128>(triangle, origin, log2_step, mode);
}

// Calls f with a CoverageTest whose numbers are wide enough for the triangle.
template <class F>
VOX_HD void with_coverage_test(const TriangleShape& triangle, Int3 origin, int log2_step,
                               scene::Coverage mode, const F& f) {
  if (is_narrow(triangle, log2_step)) {
    f(CoverageTest<int32_t, int64_t>(triangle, origin, log2_step, mode));
  } else {
    f(CoverageTest<int64_t, __int128>(triangle, origin, log2_step, mode));
  }
}

// Returns the boxes of side 2^log2_step of the 4³ lattice at `origin` that the triangle touches, in Morton
// order.
VOX_HD inline uint64_t touched_boxes(const TriangleShape& triangle, Int3 origin, int log2_step) {
  const BoxRange range(triangle, origin, log2_step);
  if (range.low == range.high) return lattice::contains(range.low) ? uint64_t{1} << cube_bit(range.low) : 0;
  uint64_t boxes = 0;
  with_coverage_test(triangle, origin, log2_step, scene::Coverage::Conservative, [&](const auto& test) {
    boxes = test.lattice_at({0, 0, 0});
  });
  return boxes;
}

}  // namespace vox::voxelize
