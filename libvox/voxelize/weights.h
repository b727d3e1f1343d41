// Finds the point of a triangle that is closest to the center of a voxel that it covers, as weights
// of the triangle's corners, in whole numbers.
//
// The foot of a point is its projection onto the plane. The weights of the corners at the foot are an affine
// function of the point, and so is the place of the foot along an edge. If the foot lies outside of the
// triangle, the closest point lies on an edge beyond which the foot lies:
//
//   beyond ac      c
//                 / \ .     beyond bc
//                /   \ .
//               a-----b
//               beyond ab      the foot along that edge, from end to end
//
// beyond two edges: the first of these edges, in the order ab, ac, bc, for which the foot along it lies
// between its ends; otherwise the corner in which the two meet
//
// Error bounds: the foot's weights are off by at most 2^-29 if the longest edge is shorter than 2^17 voxels
// and than 2^17 heights, and by at most 2^-25 in all triangles. This is the sum of the rounding errors of
// all steps from corner 0. A triangle whose height is below half a unit, or below 2^-22 of its longest edge,
// is treated as that edge: its closest point is farther away by at most this height, 1/1024 voxel if no edge
// is longer than 4096 voxels. Along an edge a weight is off by at most 2^-29. The same numbers decide in
// which region a foot lies, and the closest point is continuous where regions meet, so that no error grows
// there.
#pragma once

#include <cmath>
#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/voxelize/coverage.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

// plane_distance() returns a voxel center's distance from a triangle's plane. It rounds an exact product to a
// float and multiplies it once. The result is within 2^-22 of the distance, relatively, and equal on all devices.

// The center of a voxel that a triangle covers is nearer to the triangle than this many units: it lies within
// half a voxel's diagonal of the plane, and beyond a corner only as far as the corner's own voxel reaches.
inline constexpr int32_t kCoveredReach = 8 * kUnitsPerVoxel;

VOX_HD inline uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
  while (b != 0) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

VOX_HD inline Vec3d to_double(Vec3<int64_t> v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}

// Returns the low 64 bits of a dot product. They are the whole product if it is known to be below 2^63, even
// if its summands are larger.
VOX_HD inline int64_t low_dot(Vec3<int64_t> a, Vec3<int64_t> b) {
  const auto bits = [](int64_t v) { return static_cast<uint64_t>(v); };
  return static_cast<int64_t>(bits(a.x) * bits(b.x) + bits(a.y) * bits(b.y) + bits(a.z) * bits(b.z));
}

// Runs once per triangle.
VOX_HD inline TrianglePlane plane_of(const TriangleShape& triangle) {
  // If no component of the normal is larger than this, the product for a point within kCoveredReach is at
  // most √3 · 2^49 · 2^12, which is below 2^63.
  constexpr int64_t kNarrowNormal = int64_t{1} << 49;
  Vec3<int64_t> n = normal_of(triangle);
  auto size = [](int64_t v) { return static_cast<uint64_t>(absolute(v)); };
  const auto divisor =
      static_cast<int64_t>(greatest_common_divisor(greatest_common_divisor(size(n.x), size(n.y)), size(n.z)));
  if (divisor == 0) return {n, 0, 0};
  n = {n.x / divisor, n.y / divisor, n.z / divisor};
  const Vec3d d = to_double(n);
  const bool narrow = larger(absolute(n.x), larger(absolute(n.y), absolute(n.z))) <= kNarrowNormal;
  return {n, static_cast<float>(1 / sqrt(dot(d, d))), narrow ? 1u : 0u};
}

// Returns the distance from the plane, in units, of the center of a voxel that the triangle covers. A
// triangle without area is farther away than all others.
VOX_HD inline float plane_distance(const TrianglePlane& plane, const TriangleShape& triangle, Int3 point) {
  constexpr float kFar = 3e38f;
  if (plane.scale == 0) return kFar;
  const Vec3<int64_t> p = wide_difference(point, triangle.corner[0]);
  if (plane.narrow != 0) return static_cast<float>(absolute(low_dot(plane.normal, p))) * plane.scale;
  __int128 product = static_cast<__int128>(plane.normal.x) * p.x +
                     static_cast<__int128>(plane.normal.y) * p.y +
                     static_cast<__int128>(plane.normal.z) * p.z;
  if (product < 0) product = -product;
  const float high = static_cast<float>(static_cast<uint64_t>(product >> 64)) * 0x1p64f;
  return (high + static_cast<float>(static_cast<uint64_t>(product))) * plane.scale;
}

// The weights of corners 1 and 2, in 2^-30. Corner 0 has the rest up to 1. None of the three is
// negative.
using Weights = Vec2<int32_t>;
inline constexpr int kWeightBits = 30;
inline constexpr int32_t kWholeWeight = 1 << kWeightBits;

enum Edge : uint32_t { kEdgeAb, kEdgeAc, kEdgeBc };

VOX_HD inline Vec3<int64_t> edge_vector(const TriangleShape& triangle, uint32_t edge) {
  const Int3 from = edge == kEdgeBc ? triangle.corner[1] : triangle.corner[0];
  return wide_difference(edge == kEdgeAb ? triangle.corner[1] : triangle.corner[2], from);
}

// Sets the reciprocal of an edge's squared length, which is below 2^62: 2^94 divided by that length after it
// was shifted up to 63 bits.
VOX_HD inline void set_reciprocal(TriangleWeights& weights, uint32_t edge, int64_t squared_length) {
  if (squared_length == 0) return;
  const auto length = static_cast<uint64_t>(squared_length);
  int shift = 0;
  while ((length << shift >> 62) == 0) ++shift;
  const uint64_t reciprocal = UINT64_MAX / (length << shift >> 30);
  weights.length_shifts[edge] = static_cast<uint8_t>(shift);
  weights.reciprocals[edge] = static_cast<uint32_t>(reciprocal < UINT32_MAX ? reciprocal : UINT32_MAX);
}

VOX_HD inline Vec3<int64_t> rounded(Vec3d v) {
  auto whole = [](double value) { return static_cast<int64_t>(floor(value + 0.5)); };
  return {whole(v.x), whole(v.y), whole(v.z)};
}

// Runs once per triangle.
VOX_HD inline TriangleWeights weights_of(const TriangleShape& triangle) {
  TriangleWeights weights = {};
  int64_t longest = -1;  // squared, like all lengths in this function
  for (uint32_t edge = 0; edge < 3; ++edge) {
    const Vec3<int64_t> e = edge_vector(triangle, edge);
    const int64_t length = dot(e, e);
    set_reciprocal(weights, edge, length);
    if (length <= longest) continue;
    longest = length;
    weights.longest = edge & 3;
  }
  // Twice the area is the length of the normal. The height is that length divided by the longest edge.
  const Vec3d normal = to_double(normal_of(triangle));
  const double area = dot(normal, normal), length = static_cast<double>(longest);
  if (!(area * 4 >= length && area * 0x1p44 >= length * length) || area == 0) return weights;
  // The weights of points near the triangle are at most 1 + kCoveredReach / height. They are kept below 2^61,
  // so that the sum of three stays below 2^63.
  const double reach = 1 + kCoveredReach * sqrt(length / area);
  int bits = 60;
  while (reach * static_cast<double>(int64_t{1} << bits) > 0x1p61) --bits;
  const double one = static_cast<double>(int64_t{1} << bits);
  const Vec3d ab = to_double(edge_vector(triangle, kEdgeAb)), ac = to_double(edge_vector(triangle, kEdgeAc));
  weights.b = rounded(cross(ac, normal) * (one / area));
  weights.c = rounded(cross(normal, ab) * (one / area));
  weights.bits = static_cast<uint8_t>(bits & 63);
  return weights;
}

// Returns how far along an edge the foot of a point lies, from 0 to kWholeWeight.
VOX_HD inline int32_t along_edge(const TriangleWeights& weights, const TriangleShape& triangle, uint32_t edge,
                                 Int3 point) {
  const Vec3<int64_t> e = edge_vector(triangle, edge);
  const int64_t length = dot(e, e);  // squared
  const int64_t at = dot(e, wide_difference(point, triangle.corner[edge == kEdgeBc ? 1 : 0]));
  if (at <= 0) return 0;
  if (at >= length) return kWholeWeight;
  return static_cast<int32_t>(
      multiply_high(static_cast<uint64_t>(at) << weights.length_shifts[edge], weights.reciprocals[edge]));
}

VOX_HD inline Weights on_edge(uint32_t edge, int32_t at) {
  return edge == kEdgeAb ? Weights{at, 0} : edge == kEdgeAc ? Weights{0, at} : Weights{kWholeWeight - at, at};
}

// Returns the weights at the triangle's point that is closest to `point`, the center of a voxel that the
// triangle covers.
VOX_EVERY_STEP inline Weights closest_weights(const TriangleWeights& weights, const TriangleShape& triangle,
                                              Int3 point) {
  bool beyond_ab = false, beyond_ac = false, beyond_bc = false;
  if (weights.bits == 0) {
    beyond_ab = weights.longest == kEdgeAb;
    beyond_ac = weights.longest == kEdgeAc;
  } else {
    const Vec3<int64_t> p = wide_difference(point, triangle.corner[0]);
    const int64_t b = low_dot(weights.b, p), c = low_dot(weights.c, p);
    const int64_t a = (int64_t{1} << weights.bits) - b - c;
    if ((a | b | c) >= 0) {
      const int down = weights.bits - kWeightBits;
      return {static_cast<int32_t>(b >> down), static_cast<int32_t>(c >> down)};
    }
    beyond_ab = c < 0, beyond_ac = b < 0, beyond_bc = a < 0;
  }
  if (beyond_ab) {
    const int32_t at = along_edge(weights, triangle, kEdgeAb, point);
    if (!(at == 0 && beyond_ac) && !(at == kWholeWeight && beyond_bc)) return on_edge(kEdgeAb, at);
  }
  if (beyond_ac) {
    const int32_t at = along_edge(weights, triangle, kEdgeAc, point);
    if (!(at == kWholeWeight && beyond_bc)) return on_edge(kEdgeAc, at);
  }
  return on_edge(kEdgeBc, along_edge(weights, triangle, kEdgeBc, point));
}

// Computes the place of a triangle in its texture. A share is 2^-32 of an image's side. In this unit, wrap
// and texel follow from a coordinate without a division, for images of any size.
//
// At given weights the error of the shares is at most six shares plus 2^-27 of the distance between the
// coordinates of the corners: 2^-12 of a texel if an image of 16K texels lies on a triangle once, an eighth
// of a texel if the image repeats a thousand times. At exact weights, shares are never too small; with
// computed weights this holds for nearly all triangles. So a point on the edge between two texels, which is
// frequent on walls along the axes, belongs to the upper texel, as it would without rounding. Coordinates
// beyond 2^27 sides of the image count as 2^27; floats of that size are 16 sides apart.

// One coordinate of the three corners. It is computed once per triangle.
struct PlaceAlong {
  int64_t origin;
  int32_t b, c;
  uint8_t shift;

  VOX_HD PlaceAlong(float at_0, float at_1, float at_2) {
    constexpr double kWholeShare = 0x1p32;
    const double first = limited(at_0), to_1 = limited(at_1) - first, to_2 = limited(at_2) - first;
    const double farthest = larger(fabs(to_1), fabs(to_2)) * kWholeShare;  // at most 2^60
    int up = 0;
    while (farthest > 0x1p30 * static_cast<double>(int64_t{1} << up)) ++up;
    const double scale = kWholeShare / static_cast<double>(int64_t{1} << up);
    // Each weight is too small by up to 2^-29.
    const double least_error = 4, weights_error = 0x1p-28;
    origin = static_cast<int64_t>(floor(first * kWholeShare + least_error + farthest * weights_error));
    b = static_cast<int32_t>(floor(to_1 * scale + 0.5));
    c = static_cast<int32_t>(floor(to_2 * scale + 0.5));
    shift = static_cast<uint8_t>(kWeightBits - up);
  }

 private:
  VOX_HD static double limited(float coordinate) {
    constexpr float kFarthest = 0x1p27f;
    if (!(coordinate > -kFarthest)) return coordinate < 0 ? -kFarthest : 0;  // NaN counts as 0
    return coordinate < kFarthest ? coordinate : kFarthest;
  }
  VOX_HD static double larger(double a, double b) { return a > b ? a : b; }
};

VOX_HD inline TexturePlace place_of(const TriangleShading& shading) {
  const Vec2f *a = &shading.texcoord[0], *b = &shading.texcoord[1], *c = &shading.texcoord[2];
  const PlaceAlong u(a->x, b->x, c->x), v(a->y, b->y, c->y);
  return {{u.origin, v.origin},
          {u.b, v.b},
          {u.c, v.c},
          u.shift,
          v.shift,
          static_cast<uint16_t>(shading.level),
          {shading.color[0], shading.color[1], shading.color[2]}};
}

// Returns the shares at given weights.
VOX_HD inline Vec2<int64_t> shares_at(const TexturePlace& place, Weights weights) {
  auto along = [&](int64_t origin, int64_t b, int64_t c, int shift) {
    return origin + ((b * weights.x + c * weights.y) >> shift);
  };
  return {along(place.origin.x, place.b.x, place.c.x, place.shift_u),
          along(place.origin.y, place.b.y, place.c.y, place.shift_v)};
}

}  // namespace vox::voxelize
