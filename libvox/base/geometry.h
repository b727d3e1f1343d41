// Boxes of whole voxels, the length of a vector, the sides of a voxel, and the closest point of a triangle.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "libvox/base/vec.h"

namespace vox {

// The length of a vector. It is not in vec.h because code that is compiled at run time includes vec.h, and
// must do without <cmath>.

VOX_HD inline double length(Vec3d v) {
  return std::sqrt(dot(v, v));
}

// The sides of a voxel along x, y and z, in world units. A single number makes a cube.
struct VoxelSize {
  double x = 1, y = 1, z = 1;

  constexpr VoxelSize() = default;
  constexpr VoxelSize(double side) : x(side), y(side), z(side) {}
  constexpr VoxelSize(double x_side, double y_side, double z_side) : x(x_side), y(y_side), z(z_side) {}
  constexpr explicit VoxelSize(Vec3d sides) : x(sides.x), y(sides.y), z(sides.z) {}

  double operator[](uint32_t axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  Vec3d sides() const { return {x, y, z}; }
  bool is_cube() const { return x == y && y == z; }
  double shortest() const { return std::min({x, y, z}); }
  double longest() const { return std::max({x, y, z}); }
  // The sides in units of the shortest one.
  Vec3d shape() const { return sides() * (1 / shortest()); }

  friend bool operator==(const VoxelSize&, const VoxelSize&) = default;
  friend VoxelSize operator*(const VoxelSize& size, double factor) {
    return {size.x * factor, size.y * factor, size.z * factor};
  }
  // Converts from voxels to world units, and back.
  friend Vec3d operator*(Vec3d voxels, const VoxelSize& size) { return product(voxels, size.sides()); }
  friend Vec3d operator/(Vec3d world, const VoxelSize& size) { return quotient(world, size.sides()); }
};

// Returns the weights of b and c at the point of a triangle that is closest to `point` (Ericson, Real-Time Collision
// Detection, §5.1.5). The weight of a is 1 minus their sum.
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

// A box of whole voxels.
struct VoxelBox {
  Int3 min, max;  // holds the voxels v with min <= v < max

  bool empty() const { return min.x >= max.x || min.y >= max.y || min.z >= max.z; }
  Int3 size() const { return max - min; }
  uint64_t voxels() const {
    if (empty()) return 0;
    Int3 s = size();
    return uint64_t(s.x) * uint64_t(s.y) * uint64_t(s.z);  // at most 2^60
  }
  friend bool operator==(const VoxelBox&, const VoxelBox&) = default;
};

// The voxels of some boxes, which may overlap.
using VoxelRegion = std::vector<VoxelBox>;

// Returns the sum of the boxes' voxels.
inline uint64_t voxels_of(const VoxelRegion& region) {
  uint64_t voxels = 0;
  for (const VoxelBox& box : region) voxels += box.voxels();
  return voxels;
}

inline VoxelBox cube_at(Int3 corner, uint32_t side) {
  int32_t s = static_cast<int32_t>(side);
  return {corner, corner + Int3{s, s, s}};
}

inline VoxelBox intersection(const VoxelBox& a, const VoxelBox& b) {
  return {{std::max(a.min.x, b.min.x), std::max(a.min.y, b.min.y), std::max(a.min.z, b.min.z)},
          {std::min(a.max.x, b.max.x), std::min(a.max.y, b.max.y), std::min(a.max.z, b.max.z)}};
}

// Returns the smallest box around both. Neither may be empty.
inline VoxelBox hull(const VoxelBox& a, const VoxelBox& b) {
  return {{std::min(a.min.x, b.min.x), std::min(a.min.y, b.min.y), std::min(a.min.z, b.min.z)},
          {std::max(a.max.x, b.max.x), std::max(a.max.y, b.max.y), std::max(a.max.z, b.max.z)}};
}

}  // namespace vox
