// The point of a triangle that is closest to the centre of a voxel that it covers, as weights of the
// triangle's corners, in whole numbers.
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
// and than 2^17 heights, and by at most 2^-25 in all triangles. This is the rounding error of a step,
// accumulated over the way from corner 0. A triangle whose height is below half a unit, or below 2^-22 of its
// longest edge, is treated as that edge: its closest point is farther away by at most this height, 1/1024
// voxel if no edge is longer than 4096 voxels. Along an edge a weight is off by at most 2^-29. The same
// numbers decide in which region a foot lies, and the closest point is continuous where regions meet, so that
// no error grows there.
#pragma once

#include <cmath>
#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/voxelize/coverage.h"
#include "libvox/voxelize/plane.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

// The weights of corners 1 and 2, in 2^-30. The weight of corner 0 is the rest up to 1. None of the three is
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

// Returns the weights at the triangle's point that is closest to `point`, the centre of a voxel that the
// triangle covers.
VOX_HD inline Weights closest_weights(const TriangleWeights& weights, const TriangleShape& triangle,
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

}  // namespace vox::voxelize
