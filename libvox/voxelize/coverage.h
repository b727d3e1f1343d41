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
#include <type_traits>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/scene/coverage.h"
#include "libvox/voxelize/lattice.h"
#include "libvox/voxelize/squares.h"
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

// The longest extent along an axis, in units.
VOX_HD inline int64_t extent_of(const TriangleShape& triangle) {
  int64_t extent = 0;
  for (int e = 0; e < 3; ++e) {
    const Vec3<int64_t> edge = wide_difference(triangle.corner[e == 2 ? 0 : e + 1], triangle.corner[e]);
    extent = larger(extent, larger(absolute(edge.x), larger(absolute(edge.y), absolute(edge.z))));
  }
  return extent;
}

// How large the tests' numbers become, for edges of at most E units along each axis and boxes of side S. A
// box that is asked for lies in a cell of at most 16 S that the triangle touches.
//
//   box centre - vertex   |d|           <= E + 16 S
//   edge                  |u|           <= E
//   normal                |n|           <= 2 E² along each axis, as a cross product of two edges
//   edge test             |u·d| + reach <= 2 E (E + 16 S) + E S
//   plane test            |n·d| + reach <= 6 E² (E + 16 S) + 3 E² S
//
// With E = 2^19 and S = 2^18 (kNarrowLog2Step) the plane test is at most 111 · 2^56, which is below 2^63:
// int64_t holds it. Divided by S, an edge test is clamped to 2^30, and what the boxes of a cell add to it,
// 30 E, keeps it below 2^31: int32_t holds it.
inline constexpr int64_t kNarrowExtent = 1 << 19;

// Bounding box of a triangle in boxes of side 2^log2_step from `origin`. No vertex lies on a face, so that
// rounding down gives the box that holds it.
struct BoxRange {
  Int3 low, high;

  VOX_HD BoxRange(const TriangleShape& triangle, Int3 origin, int log2_step) {
    const Int3 &a = triangle.corner[0], &b = triangle.corner[1], &c = triangle.corner[2];
    low = {(least(a.x, b.x, c.x) - origin.x) >> log2_step, (least(a.y, b.y, c.y) - origin.y) >> log2_step,
           (least(a.z, b.z, c.z) - origin.z) >> log2_step};
    high = {(most(a.x, b.x, c.x) - origin.x) >> log2_step, (most(a.y, b.y, c.y) - origin.y) >> log2_step,
            (most(a.z, b.z, c.z) - origin.z) >> log2_step};
  }

 private:
  VOX_HD static int32_t least(int32_t a, int32_t b, int32_t c) {
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
  }
  VOX_HD static int32_t most(int32_t a, int32_t b, int32_t c) {
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
  }
};

// A triangle set up for boxes of one size near one place. EdgeNumber and PlaneNumber hold the tests' values:
// int32_t and int64_t for triangles up to kNarrowExtent and boxes up to kNarrowLog2Step, int64_t and __int128
// for all.
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
    const Vec3<int64_t> center = wide_difference(origin, triangle.corner[0]) + halves;
    const int64_t x = absolute(normal_.x), y = absolute(normal_.y), z = absolute(normal_.z);
    const PlaneNumber distance = PlaneNumber(normal_.x) * center.x + PlaneNumber(normal_.y) * center.y +
                                 PlaneNumber(normal_.z) * center.z;
    const PlaneNumber reach =
        PlaneNumber(mode == scene::Coverage::Conservative ? x + y + z : larger(x, larger(y, z))) * half;
    below_ = (reach + distance) >> log2_step;
    above_ = (reach - distance) >> log2_step;
    short_normal_ = larger(x, larger(y, z)) <= kShortNormal;
  }

  // The boxes covered in the lattice of 4³ boxes that lies `place` lattices from the origin, in Morton order.
  VOX_HD uint64_t lattice_at(Int3 place) const {
    const uint32_t x = lattice::range4(range_.low.x - 4 * place.x, range_.high.x - 4 * place.x);
    const uint32_t y = lattice::range4(range_.low.y - 4 * place.y, range_.high.y - 4 * place.y);
    const uint32_t z = lattice::range4(range_.low.z - 4 * place.z, range_.high.z - 4 * place.z);
    if (x == 0 || y == 0 || z == 0) return 0;
    uint64_t rows = x * 0x1111111111111111ull & lattice::bits_to_nibbles(y) * 0x0001000100010001ull &
                    lattice::bits_to_groups(z);
    rows = inside_edges(place, rows);
    if (rows != 0)
      rows = short_normal_ ? near_plane<int32_t>(place, rows) : near_plane<PlaneNumber>(place, rows);
    return lattice::rows_to_morton(rows);
  }

 private:
  // Lines 0–2 are the edges in the x-y projection, 3–5 in y-z, 6–8 in x-z. Square (i, j) of a projection is
  // within reach of the inner side of line l when first_[l] + i·u_[l] + j·v_[l] >= 0.
  // Lines 9–11 hold everywhere; they complete the last vector, as four lines make one.
  enum { kXy = 0, kYz = 3, kXz = 6, kUsedLines = 9, kLines = 12 };
  // Whether a processor computes a line's value for all squares at once (squares.h).
  static constexpr bool kInSquares = std::is_same_v<EdgeNumber, int32_t>;
  // Up to this size of the normal's components, sums of nine of them and a clamped distance fit in 32 bits.
  static constexpr int64_t kShortNormal = 1 << 26;

  VOX_HD void set_line(int line, int64_t edge_u, int64_t edge_v, int64_t center_u, int64_t center_v,
                       int64_t sign, int log2_step) {
    const int64_t u = -sign * edge_v, v = sign * edge_u;
    const int64_t reach =
        mode_ == scene::Coverage::Conservative ? absolute(u) + absolute(v) : larger(absolute(u), absolute(v));
    const int64_t half = int64_t{1} << (log2_step - 1);
    const int64_t first = (u * center_u + v * center_v + half * reach) >> log2_step;
    // Over all lattices the tests add at most 15 steps either way: far beyond that only the sign counts.
    first_[line] = clamped<EdgeNumber>(first);
    u_[line] = static_cast<EdgeNumber>(u);
    v_[line] = static_cast<EdgeNumber>(v);
#ifdef VOX_SQUARES
    if constexpr (kInSquares) {
      slopes_[line] = lattice::Squares::slope(u_[line], v_[line]);
      return;
    }
#endif
    low_[line] = 3 * ((u_[line] < 0 ? u_[line] : 0) + (v_[line] < 0 ? v_[line] : 0));
    high_[line] = 3 * ((u_[line] > 0 ? u_[line] : 0) + (v_[line] > 0 ? v_[line] : 0));
  }

  template <class Number>
  VOX_HD static Number clamped(PlaneNumber value) {
    if constexpr (sizeof(Number) > sizeof(int32_t)) {
      return static_cast<Number>(value);
    } else {
      constexpr int32_t kFar = 1 << 30;
      return value > kFar ? kFar : value < -kFar ? -kFar : static_cast<Number>(value);
    }
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
      const uint32_t squares = lattice::negative_squares(first[l], u_[l], v_[l]);  // those outside
      rows &= ~(l < kYz   ? lattice::over_z(squares)
                : l < kXz ? lattice::over_x(squares)
                          : lattice::over_y(squares));
    }
    return rows;
  }

  // Removes the boxes whose centre is out of reach of the plane.
  template <class Number>
  VOX_HD uint64_t near_plane(Int3 place, uint64_t rows) const {
    const PlaneNumber offset = 4 * (PlaneNumber(normal_.x) * place.x + PlaneNumber(normal_.y) * place.y +
                                    PlaneNumber(normal_.z) * place.z);
    const Number below = clamped<Number>(below_ + offset);  // >= 0: not too far below the plane
    const Number above = clamped<Number>(above_ - offset);
    const Number x = static_cast<Number>(normal_.x), y = static_cast<Number>(normal_.y),
                 z = static_cast<Number>(normal_.z);
    // The most that the squares of a layer of boxes add to `below`, and the least.
    const Number rise = 3 * ((x > 0 ? x : 0) + (y > 0 ? y : 0)),
                 fall = 3 * ((x < 0 ? x : 0) + (y < 0 ? y : 0));
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

  scene::Coverage mode_;
  bool short_normal_;
  BoxRange range_;
  Vec3<int64_t> normal_;
  PlaneNumber below_, above_;  // the plane test of the box at the origin
  EdgeNumber first_[kLines], u_[kLines], v_[kLines];
#ifdef VOX_SQUARES
  lattice::Squares slopes_[kInSquares ? kUsedLines : 1];  // i·u_ + j·v_, instead of low_ and high_
#endif
  EdgeNumber low_[kLines], high_[kLines];  // what a lattice adds to first_ at its lowest and highest square
};

inline constexpr int kNarrowLog2Step = 18;

// Calls f with the test that is wide enough for the triangle.
template <class F>
VOX_HD void with_coverage_test(const TriangleShape& triangle, Int3 origin, int log2_step,
                               scene::Coverage mode, const F& f) {
  if (log2_step <= kNarrowLog2Step && extent_of(triangle) <= kNarrowExtent) {
    f(CoverageTest<int32_t, int64_t>(triangle, origin, log2_step, mode));
  } else {
    f(CoverageTest<int64_t, __int128>(triangle, origin, log2_step, mode));
  }
}

// The boxes of side 2^log2_step of the 4³ lattice at `origin` that the triangle touches, in Morton order.
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
