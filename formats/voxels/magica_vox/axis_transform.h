// Transforms that map voxels to voxels: axes are exchanged and mirrored, and everything is moved.
#pragma once

#include <array>
#include <cstdint>

#include "libvox/base/vec.h"

namespace vox {

struct AxisTransform {
  // Coordinate i of the result is coordinate from[i], times sign[i], plus move[i].
  std::array<uint32_t, 3> from = {0, 1, 2};
  std::array<int32_t, 3> sign = {1, 1, 1};
  Vec3<int64_t> move = {0, 0, 0};

  Vec3<int64_t> operator()(const Vec3<int64_t>& v) const {
    return {sign[0] * v[from[0]] + move.x, sign[1] * v[from[1]] + move.y, sign[2] * v[from[2]] + move.z};
  }
};

// Returns the transform that applies `inner` first and then `outer`.
inline AxisTransform composed(const AxisTransform& outer, const AxisTransform& inner) {
  AxisTransform result;
  for (uint32_t i = 0; i < 3; ++i) {
    result.from[i] = inner.from[outer.from[i]];
    result.sign[i] = outer.sign[i] * inner.sign[outer.from[i]];
  }
  result.move = outer(inner.move);
  return result;
}

// Converts a transform of points to one of voxels' lower corners: on a mirrored axis, the lower corner of the
// result is the image of the upper one.
inline AxisTransform of_voxels(AxisTransform points) {
  for (uint32_t i = 0; i < 3; ++i)
    if (points.sign[i] < 0) points.move[i] -= 1;
  return points;
}

}  // namespace vox
