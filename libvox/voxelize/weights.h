// The point of a triangle that is closest to the centre of a voxel that it covers, as weights of its corners, in
// whole numbers.
//
// What the corners weigh at a point's foot on the plane is affine in the point, and so is the place of its foot
// along an edge. A point whose foot lies outside of the triangle is closest to an edge that it lies beyond:
//
//   beyond ac      c
//                 / \ .     beyond bc
//                /   \ .
//               a-----b
//               beyond ab      the foot along that edge, from end to end
//
//   beyond two edges: the first of ab, ac, bc of them on whose inside, between its ends, the foot lies, else the
//   corner in which they meet
//
// How far this is from the truth: the foot's weights are off by 2^-29 at most where the longest edge has less than
// 2^17 voxels and less than 2^17 heights, and by 2^-25 in all triangles: what a rounded step adds over the way from
// corner 0. Triangles whose height is below half a unit, or below 2^-22 of the longest edge, count as that edge: its
// point is farther away by this height at most, 1/1024 voxel if no edge is longer than 4096 voxels. Along an edge
// a weight is off by 2^-29. The same numbers decide in which region a foot is, and the closest point is continuous
// where regions meet, so that no error grows there.
#pragma once

#include <cmath>
#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/voxelize/coverage.h"
#include "libvox/voxelize/plane.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

// Weights of corners 1 and 2, in 2^-30; what is left of 1 is the weight of corner 0. None of the three is
// negative.
using Weights = Vec2<int32_t>;
inline constexpr int kWeightBits = 30;
inline constexpr int32_t kWholeWeight = 1 << kWeightBits;

enum Edge : uint32_t { kEdgeAb, kEdgeAc, kEdgeBc };

VOX_HD inline Vec3<int64_t> edge_vector(const TriangleShape& triangle, uint32_t edge) {
  const Int3 from = edge == kEdgeBc ? triangle.corner[1] : triangle.corner[0];
  return wide_difference(edge == kEdgeAb ? triangle.corner[1] : triangle.corner[2], from);
}

// Sets what divides by the squared length of an edge, which is below 2^62: 2^94 over that length, shifted up to 63
// bits.
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

// Runs once a triangle.
VOX_HD inline TriangleWeights weights_of(const TriangleShape& triangle) {
  TriangleWeights weights = {};
  int64_t longest = -1;  // squared, as all lengths here
  for (uint32_t edge = 0; edge < 3; ++edge) {
    const Vec3<int64_t> e = edge_vector(triangle, edge);
    const int64_t length = dot(e, e);
    set_reciprocal(weights, edge, length);
    if (length <= longest) continue;
    longest = length;
    weights.longest = edge & 3;
  }
  // The area times 2 is the length of the normal, and the height that times 1 / longest.
  const Vec3d normal = to_double(normal_of(triangle));
  const double area = dot(normal, normal), length = static_cast<double>(longest);
  if (!(area * 4 >= length && area * 0x1p44 >= length * length) || area == 0) return weights;
  // The weights of points near the triangle are at most 1 + kCoveredReach / height. They are kept below 2^61, so
  // that the sum of three stays below 2^63.
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

// How far along an edge the foot of a point is, from 0 to kWholeWeight.
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

// The weights at the point that is closest to the centre of a voxel that the triangle covers.
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
