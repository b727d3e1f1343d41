// The distances of voxels' centres from a triangle's plane. An exact product is rounded to a float and
// multiplied once: the compared value is within 2^-22 of the distance, and all devices round alike.
#pragma once

#include <cmath>
#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/voxelize/coverage.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

// The centre of a voxel that a triangle covers is nearer to the triangle than this many units: it lies within
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

// Returns the distance from the plane, in units, of the centre of a voxel that the triangle covers. A
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

}  // namespace vox::voxelize
