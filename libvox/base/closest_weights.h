// The point of a triangle that is closest to another point (Ericson, Real-Time Collision Detection, §5.1.5).
#pragma once

#include "libvox/base/vec.h"

namespace vox {

// Returns the weights of b and c at the closest point. The weight of a is 1 minus their sum.
VOX_HD inline Vec2<double> closest_weights(const Vec3d& a, const Vec3d& b, const Vec3d& c,
                                           const Vec3d& point) {
  const Vec3d ab = b - a, ac = c - a, ap = point - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return {0, 0};
  const Vec3d bp = point - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return {1, 0};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {d1 / (d1 - d3), 0};
  const Vec3d cp = point - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return {0, 1};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {0, d2 / (d2 - d6)};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {1 - w, w};
  }
  const double sum = va + vb + vc;
  if (!(sum > 0)) return {0, 0};
  return {vb / sum, vc / sum};
}

}  // namespace vox
