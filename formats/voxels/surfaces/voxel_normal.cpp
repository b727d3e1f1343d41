#include "formats/voxels/surfaces/voxel_normal.h"

#include <array>
#include <cmath>

#include "libvox/base/bits.h"

namespace vox {
namespace {

// The sum of the directions to the neighbours is larger than this at the border of something solid, where a
// plane of neighbours and a layer behind it are filled: it is 4.33 along an axis. For half a plane the sum is
// 2, and for a corner of a plane less.
constexpr double kSolid = 3;

struct Neighbours {
  Vec3d sum = {0, 0, 0};                             // the directions, each divided by its squared length
  std::array<std::array<double, 3>, 3> extent = {};  // the sum of the products of coordinates
};

Neighbours neighbours_of(const BorderedCube& cube, const Int3& at) {
  Neighbours found;
  for (int32_t z = -1; z <= 1; ++z)
    for (int32_t y = -1; y <= 1; ++y)
      for (int32_t x = -1; x <= 1; ++x) {
        const int32_t square = x * x + y * y + z * z;
        if (square == 0 || cube.value(at + Int3{x, y, z}) == 0) continue;
        const std::array<double, 3> to = {double(x), double(y), double(z)};
        found.sum = found.sum + Vec3d{to[0], to[1], to[2]} * (1. / square);
        for (size_t i = 0; i < 3; ++i)
          for (size_t j = 0; j < 3; ++j) found.extent[i][j] += to[i] * to[j];
      }
  return found;
}

// Returns the eigenvector of a symmetric matrix's least eigenvalue, by Jacobi rotations. It uses only
// operations that IEEE 754 rounds in one way.
Vec3d least_direction(std::array<std::array<double, 3>, 3> m) {
  std::array<std::array<double, 3>, 3> axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  // in columns
  for (int sweep = 0; sweep < 8; ++sweep)
    for (const auto& [p, q] : {std::pair<size_t, size_t>{0, 1}, {0, 2}, {1, 2}}) {
      if (std::abs(m[p][q]) < 1e-9) continue;
      const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
      const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + square_root(theta * theta + 1));
      const double c = 1 / square_root(t * t + 1), s = t * c;
      for (size_t k = 0; k < 3; ++k) {
        const double a = m[k][p], b = m[k][q];
        m[k][p] = c * a - s * b, m[k][q] = s * a + c * b;
      }
      for (size_t k = 0; k < 3; ++k) {
        const double a = m[p][k], b = m[q][k], u = axes[k][p], v = axes[k][q];
        m[p][k] = c * a - s * b, m[q][k] = s * a + c * b;
        axes[k][p] = c * u - s * v, axes[k][q] = s * u + c * v;
      }
    }
  size_t least = 0;
  for (size_t i = 1; i < 3; ++i)
    if (m[i][i] < m[least][least] - 1e-9) least = i;
  return {axes[0][least], axes[1][least], axes[2][least]};
}

uint32_t largest_axis(const Vec3d& v) {
  const Vec3d size = {std::abs(v.x), std::abs(v.y), std::abs(v.z)};
  const uint32_t of_two = size.x >= size.y ? 0 : 1;
  return size[of_two] >= size.z ? of_two : 2;
}

}  // namespace

Vec3<float> normal_of_voxel(const BorderedCube& cube, const Int3& at) {
  const Neighbours found = neighbours_of(cube, at);
  Vec3d normal = found.sum * -1.;
  if (dot(normal, normal) < kSolid * kSolid) {
    const Vec3d direction = least_direction(found.extent);
    const double side = dot(direction, normal);
    const bool is_even = std::abs(side) < 1e-9;
    const bool is_turned = is_even ? direction[largest_axis(direction)] < 0 : side < 0;
    normal = direction * (is_turned ? -1. : 1.);
  }
  const double length = square_root(dot(normal, normal));
  return {static_cast<float>(normal.x / length), static_cast<float>(normal.y / length),
          static_cast<float>(normal.z / length)};
}

}  // namespace vox
