// Affine maps of space, as used by the nodes of a glTF file.
#pragma once

#include <array>
#include <cmath>

#include "libvox/base/vec.h"

namespace vox {

struct Affine {
  Vec3d x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};  // the images of the axes
  Vec3d origin = {0, 0, 0};                           // the image of the origin

  Vec3d direction(Vec3d v) const { return x * v.x + y * v.y + z * v.z; }
  Vec3d operator()(Vec3d p) const { return direction(p) + origin; }

  // Returns the map that applies `b` first, then `a`.
  friend Affine operator*(const Affine& a, const Affine& b) {
    return {.x = a.direction(b.x), .y = a.direction(b.y), .z = a.direction(b.z), .origin = a(b.origin)};
  }
};

// Returns the map that scales, then rotates by a quaternion (x, y, z, w) of any length but 0, then
// translates.
inline Affine affine_of(Vec3d translation, const std::array<double, 4>& rotation, Vec3d scale) {
  auto [x, y, z, w] = rotation;
  double length = std::sqrt(x * x + y * y + z * z + w * w);
  if (length > 0) x /= length, y /= length, z /= length, w /= length;
  Affine map;
  map.x = Vec3d{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)} * scale.x;
  map.y = Vec3d{2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)} * scale.y;
  map.z = Vec3d{2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)} * scale.z;
  map.origin = translation;
  return map;
}

// Returns the map of a 4 × 4 matrix in column-major order, whose last row is assumed to be 0 0 0 1.
inline Affine affine_of(const std::array<double, 16>& m) {
  return {.x = {m[0], m[1], m[2]},
          .y = {m[4], m[5], m[6]},
          .z = {m[8], m[9], m[10]},
          .origin = {m[12], m[13], m[14]}};
}

}  // namespace vox
