// 3D Gaussian splats (Kerbl et al. 2023) are soft ellipsoids with a color and an opacity. Their readers
// share this header and its mathematical functions. These use only operations that IEEE 754 rounds in one
// way, so that all machines read the same splats.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "formats/points/points.h"
#include "libvox/base/vec.h"

namespace vox {

// The constant of the first spherical harmonic: a splat's color is 0.5 + its coefficient times this.
inline constexpr double kFirstHarmonic = 0.28209479177387814;

// Returns e^x with an error of a few units in the last place. Results below the smallest normal number are 0,
// those above the greatest one are infinite.
inline double portable_exp(double x) {
  if (!(x > -708)) return x <= -708 ? 0 : x;  // NaN stays NaN
  if (x > 709) return std::numeric_limits<double>::infinity();
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;  // their sum is ln 2
  const double n = std::floor(x * kLog2E + 0.5);
  const double r = (x - n * kLn2High) - n * kLn2Low;  // at most ln 2 / 2; the first product is exact
  double sum = 1;
  for (int term = 14; term > 0; --term) sum = 1 + sum * r / term;
  return sum * std::bit_cast<double>(static_cast<uint64_t>(static_cast<int64_t>(n) + 1023) << 52);
}

// Returns the natural logarithm of a positive normal number, with a similar error.
inline double portable_log(double x) {
  constexpr double kLn2 = 0.6931471805599453, kRoot2 = 1.4142135623730951;
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  int64_t power = static_cast<int64_t>(bits >> 52) - 1023;
  double part = std::bit_cast<double>((bits & 0xfffffffffffff) | uint64_t{1023} << 52);  // 1 to 2
  if (part > kRoot2) part /= 2, ++power;
  const double s = (part - 1) / (part + 1), square = s * s;
  double sum = 0;
  for (int term = 21; term > 0; term -= 2) sum = sum * square + 1.0 / term;
  return static_cast<double>(power) * kLn2 + 2 * s * sum;
}

// Returns the axes of an ellipsoid that is rotated by a quaternion of any length. All zeros mean no rotation.
inline std::array<Vec3d, 3> turned_axes(double x, double y, double z, double w) {
  const double length = x * x + y * y + z * z + w * w;
  const double s = length > 0 ? 2 / length : 0;
  return {Vec3d{1 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)},
          Vec3d{s * (x * y - z * w), 1 - s * (x * x + z * z), s * (y * z + x * w)},
          Vec3d{s * (x * z + y * w), s * (y * z - x * w), 1 - s * (x * x + y * y)}};
}

// Adds a splat to a piece. A splat that is too transparent to count is left out. One with numbers that are
// not finite gets a place that is not finite, so that it is dropped like such points.
inline void add_splat(CloudPiece& to, CloudPoint point, const SplatShape& shape) {
  if (shape.opacity < kLeastSplatWeight) {
    ++to.left_out;
    return;
  }
  Vec3d sum = shape.deviations;
  for (const Vec3d& axis : shape.axes) sum = sum + axis;
  if (!is_finite(sum) || !is_finite({shape.opacity, 0, 0})) point.place.x = std::nan("");
  to.points.push_back(point);
  to.shapes.push_back(shape);
}

}  // namespace vox
