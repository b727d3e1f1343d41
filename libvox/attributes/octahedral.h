// Directions as numbers of 16 bits, such as the normals of voxels.
//
// A direction from the center meets the octahedron |x| + |y| + |z| = 127 at a point. x and y of this point are stored
// as whole numbers. The half of the octahedron below z = 0 is unfolded over the corners of the square:
//
//     (x, y, z) with z < 0   lies at   ((127 − |y|) · sign x, (127 − |x|) · sign y)
//
// The lower byte is the first of the two numbers + 128, the upper byte the second + 128. The stored direction differs
// by less than one degree. 0 stands for no direction.
#pragma once

#include <cmath>
#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/base/vec.h"

namespace vox::attributes {

inline constexpr uint32_t kDirectionBits = 16, kNoDirection = 0;
inline constexpr int32_t kOctahedron = 127;

// Returns the number of a vector's direction, or kNoDirection if the vector is 0. Every machine rounds it equally.
VOX_HD inline uint32_t direction_code(Vec3d v) {
  const double sum = fabs(v.x) + fabs(v.y) + fabs(v.z);
  if (!(sum > 0)) return kNoDirection;
  double x = v.x / sum, y = v.y / sum;
  if (v.z < 0) {
    const double from = fabs(x);
    x = (1 - fabs(y)) * (x < 0 ? -1 : 1);
    y = (1 - from) * (y < 0 ? -1 : 1);
  }
  const auto code = [](double part) {
    return static_cast<uint32_t>(static_cast<int32_t>(floor(part * kOctahedron + 0.5)) + 128);
  };
  return code(x) | code(y) << 8;
}

// Returns a vector in the direction of a number other than kNoDirection: a point of the octahedron.
VOX_HD inline Int3 direction_of(uint32_t code) {
  const auto size = [](int32_t part) { return part < 0 ? -part : part; };
  const int32_t x = static_cast<int32_t>(code & 0xff) - 128, y = static_cast<int32_t>(code >> 8 & 0xff) - 128;
  const int32_t z = kOctahedron - size(x) - size(y);
  if (z >= 0) return {x, y, z};
  return {(kOctahedron - size(y)) * (x < 0 ? -1 : 1), (kOctahedron - size(x)) * (y < 0 ? -1 : 1), z};
}

// Returns a vector of length 1 in this direction, or 0 for none.
inline Vec3<float> unit_direction(uint32_t code) {
  if (code == kNoDirection) return {0, 0, 0};
  const Int3 v = direction_of(code);
  const double length = square_root(static_cast<double>(v.x * v.x + v.y * v.y + v.z * v.z));
  return {static_cast<float>(v.x / length), static_cast<float>(v.y / length),
          static_cast<float>(v.z / length)};
}

}  // namespace vox::attributes
