// The inside of a mesh by loops over all voxels, in exact arithmetic. Tests compare the library's results with it.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "libvox/scene/scene.h"
#include "tests/voxelize/brute_force.h"

namespace vox::brute {

// Finds the voxels inside a closed mesh, by the parity of crossings in exact arithmetic.

// Returns the side of the line along d on which p lies. A point on the line is moved by (ε, ε²), so the
// result is 0 only if d is 0.
inline int side_of(Wide du, Wide dv, Wide pu, Wide pv) {
  Wide side = du * pv - dv * pu;
  if (side == 0) side = dv != 0 ? -dv : du;
  return side > 0 ? 1 : side < 0 ? -1 : 0;
}

// True if the line through c along the axis crosses the triangle.
inline bool crosses(const SnappedTriangle& t, Vec3w c, size_t axis) {
  size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
  int sum = 0;
  for (size_t i = 0; i < 3; ++i) {
    std::array<Wide, 3> edge = axes(t.v[(i + 1) % 3] - t.v[i]), to_center = axes(c - t.v[i]);
    sum += side_of(edge[u], edge[v], to_center[u], to_center[v]);
  }
  return sum == 3 || sum == -3;
}

// Returns the voxels whose center has an odd number of crossings above it along the axis. For a closed mesh
// the axis makes no difference, except in voxels that the surface itself covers.
inline Dense inside(const std::vector<SnappedTriangle>& triangles, uint32_t resolution, uint32_t side,
                    size_t axis) {
  Dense dense(side);
  auto count = static_cast<int32_t>(resolution);
  auto voxel_of = [&](std::array<int32_t, 3> p) { return Int3{p[0], p[1], p[2]}; };
  size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
  std::array<int32_t, 3> p = {};
  for (const SnappedTriangle& t : triangles)
    for (p[u] = 0; p[u] < count; ++p[u])
      for (p[v] = 0; p[v] < count; ++p[v]) {
        p[axis] = 0;
        if (!crosses(t, center_of(voxel_of(p)), axis)) continue;
        Wide up = axes(t.n)[axis] > 0 ? 1 : -1;
        for (; p[axis] < count; ++p[axis]) {
          Int3 voxel = voxel_of(p);
          if (up * dot(t.n, center_of(voxel) - t.v[0]) >= 0) break;
          dense.at(voxel) = dense.filled(voxel) ? dag::kEmptyVoxel : 0;
        }
      }
  return dense;
}

// Counts the empty voxels whose centers have an even number of crossings below them along x, but not as many that enter
// as leave.
inline uint64_t disputed_voxels(const std::vector<SnappedTriangle>& triangles, uint32_t resolution,
                                const Dense& surface) {
  std::vector<int> crossings(surface.voxels.size()), windings(surface.voxels.size());
  const auto count = static_cast<int32_t>(resolution);
  Int3 p;
  for (const SnappedTriangle& t : triangles)
    for (p.y = 0; p.y < count; ++p.y)
      for (p.z = 0; p.z < count; ++p.z) {
        p.x = 0;
        if (!crosses(t, center_of(p), 0)) continue;
        const int up = t.n.x > 0 ? 1 : -1;
        for (; p.x < count; ++p.x) {
          if (up * dot(t.n, center_of(p) - t.v[0]) <= 0) continue;
          const size_t at = surface.index(p);
          crossings[at] += 1;
          windings[at] -= up;
        }
      }
  uint64_t disputed = 0;
  for (size_t i = 0; i < crossings.size(); ++i)
    disputed += surface.voxels[i] == dag::kEmptyVoxel && crossings[i] % 2 == 0 && windings[i] != 0;
  return disputed;
}

// Returns the part of all directions from a point in which it sees the front of the mesh, less that of the back.
inline double winding_number(const scene::Scene& scene, Vec3d point) {
  double sum = 0;
  for (const scene::Triangle& triangle : scene.triangles) {
    std::array<Vec3d, 3> to = {};
    std::array<double, 3> far = {};
    for (size_t c = 0; c < 3; ++c) {
      to[c] = scene.positions[triangle.position[c]] - point;
      far[c] = std::sqrt(dot(to[c], to[c]));
    }
    const double below = far[0] * far[1] * far[2] + dot(to[0], to[1]) * far[2] + dot(to[1], to[2]) * far[0] +
                         dot(to[2], to[0]) * far[1];
    sum += 2 * std::atan2(dot(to[0], cross(to[1], to[2])), below);
  }
  return sum / (4 * std::numbers::pi);
}

}  // namespace vox::brute
