// Decides coverage and the inside of a mesh in exact arithmetic by the slow way: every triangle against every voxel,
// following only docs/architecture.md, "Coverage and material". Lengths are in units of 1/512 voxel, so that vertices
// are odd integers and voxel i is [512 i, 512 (i + 1)]. Tests compare the library's results with it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "libvox/base/morton.h"
#include "libvox/base/vec.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/grid.h"
#include "tests/dag/dense_dag.h"
#include "tests/voxelize/soup.h"

namespace vox::brute {

// Decides coverage in exact arithmetic by the slow way: every triangle against every voxel, following only
// docs/architecture.md, "Coverage and material". Lengths are in units of 1/512 voxel, so that vertices are
// odd integers and voxel i is [512 i, 512 (i + 1)].

// Large enough for products of three coordinates below 2^32.
using Wide = __int128;
using Vec3w = Vec3<Wide>;

inline constexpr int64_t kVoxel = 512;
inline constexpr int64_t kHalf = kVoxel / 2;

inline Wide magnitude(Wide value) {
  return value < 0 ? -value : value;
}

inline std::array<Wide, 3> axes(Vec3w v) {
  return {v.x, v.y, v.z};
}

// Returns the odd number of units to which a coordinate in voxels snaps.
inline int64_t snap(double p, uint32_t resolution) {
  int64_t step = static_cast<int64_t>(std::floor(p * 256));
  if (p < 0 && p >= -1.0 / 256) step = 0;
  if (p <= resolution + 1.0 / 256) step = std::min(step, int64_t{256} * resolution - 1);
  return 2 * step + 1;
}

inline Vec3d to_grid(Vec3d p, const voxelize::Grid& grid) {
  Vec3d q = p - grid.origin;
  return q / grid.voxel_size;
}

struct SnappedTriangle {
  std::array<Vec3w, 3> v;
  Vec3w n;  // (v1 - v0) × (v2 - v0); zero if snapping has left a line or a point
};

inline SnappedTriangle snap_triangle(const scene::Scene& scene, const scene::Triangle& triangle,
                                     const voxelize::Grid& grid) {
  SnappedTriangle result;
  for (size_t i = 0; i < 3; ++i) {
    Vec3d p = to_grid(scene.positions[triangle.position[i]], grid);
    result.v[i] = {snap(p.x, grid.resolution), snap(p.y, grid.resolution), snap(p.z, grid.resolution)};
  }
  result.n = cross(result.v[1] - result.v[0], result.v[2] - result.v[0]);
  return result;
}

inline std::vector<SnappedTriangle> snap_scene(const scene::Scene& scene, const voxelize::Grid& grid) {
  std::vector<SnappedTriangle> result;
  for (const scene::Triangle& triangle : scene.triangles)
    result.push_back(snap_triangle(scene, triangle, grid));
  return result;
}

inline Vec3w center_of(Int3 voxel) {
  return {voxel.x * kVoxel + kHalf, voxel.y * kVoxel + kHalf, voxel.z * kVoxel + kHalf};
}

// True if a plane across `axis` lies between the triangle and the cube around c.
inline bool separates(Vec3w axis, const SnappedTriangle& t, Vec3w c) {
  Wide reach = kHalf * (magnitude(axis.x) + magnitude(axis.y) + magnitude(axis.z));
  std::array<Wide, 3> p = {dot(axis, t.v[0] - c), dot(axis, t.v[1] - c), dot(axis, t.v[2] - c)};
  return std::min({p[0], p[1], p[2]}) > reach || std::max({p[0], p[1], p[2]}) < -reach;
}

inline constexpr std::array<Vec3w, 3> kAxes = {Vec3w{1, 0, 0}, Vec3w{0, 1, 0}, Vec3w{0, 0, 1}};

inline bool boxes_meet(const SnappedTriangle& t, Vec3w c) {
  return !separates(kAxes[0], t, c) && !separates(kAxes[1], t, c) && !separates(kAxes[2], t, c);
}

// True if the closed triangle meets the closed cube, by the separating axis theorem with 13 axes.
inline bool touches_cube(const SnappedTriangle& t, Int3 voxel) {
  Vec3w c = center_of(voxel);
  if (!boxes_meet(t, c) || separates(t.n, t, c)) return false;
  for (size_t i = 0; i < 3; ++i)
    for (Vec3w axis : kAxes)
      if (separates(cross(t.v[(i + 1) % 3] - t.v[i], axis), t, c)) return false;
  return true;
}

// The component measure of Schwarz & Seidel 2010, §4.2: the largest component gives the 6-separating test,
// the sum of the components the conservative one.
enum class Reach { Largest, Sum };

inline Wide reach_of(Wide a, Wide b, Wide c, Reach reach) {
  a = magnitude(a), b = magnitude(b), c = magnitude(c);
  return kHalf * (reach == Reach::Sum ? a + b + c : std::max({a, b, c}));
}

inline bool covers_projected(const SnappedTriangle& t, Vec3w c, size_t dropped, Reach reach) {
  size_t u = (dropped + 1) % 3, v = (dropped + 2) % 3;
  Wide sign = axes(t.n)[dropped] < 0 ? -1 : 1;
  for (size_t i = 0; i < 3; ++i) {
    std::array<Wide, 3> edge = axes(t.v[(i + 1) % 3] - t.v[i]), to_center = axes(c - t.v[i]);
    Wide inward_u = -sign * edge[v], inward_v = sign * edge[u];
    if (inward_u * to_center[u] + inward_v * to_center[v] + reach_of(inward_u, inward_v, 0, reach) < 0)
      return false;
  }
  return true;
}

inline bool covers(const SnappedTriangle& t, Int3 voxel, Reach reach) {
  Vec3w c = center_of(voxel);
  return boxes_meet(t, c) && magnitude(dot(t.n, c - t.v[0])) <= reach_of(t.n.x, t.n.y, t.n.z, reach) &&
         covers_projected(t, c, 0, reach) && covers_projected(t, c, 1, reach) &&
         covers_projected(t, c, 2, reach);
}

inline bool covers(const SnappedTriangle& t, Int3 voxel, scene::Coverage coverage) {
  return coverage == scene::Coverage::Thin ? covers(t, voxel, Reach::Largest) : touches_cube(t, voxel);
}

// The voxels of the grid that the triangle's bounding box touches, both ends included; empty if min > max.
struct VoxelRange {
  Int3 min, max;
};

inline VoxelRange voxel_range(const SnappedTriangle& t, uint32_t resolution) {
  std::array<int32_t, 3> low, high;
  for (size_t a = 0; a < 3; ++a) {
    Wide p = axes(t.v[0])[a], q = axes(t.v[1])[a], r = axes(t.v[2])[a];
    Wide first = (std::min({p, q, r}) - 1) >> 9, last = std::max({p, q, r}) >> 9;  // 512 units are a voxel
    low[a] = static_cast<int32_t>(std::clamp<Wide>(first, 0, resolution));
    high[a] = static_cast<int32_t>(std::clamp<Wide>(last, -1, Wide{resolution} - 1));
  }
  return {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

template <class Body>
void for_each_voxel(VoxelRange range, Body body) {
  for (int32_t z = range.min.z; z <= range.max.z; ++z)
    for (int32_t y = range.min.y; y <= range.max.y; ++y)
      for (int32_t x = range.min.x; x <= range.max.x; ++x) body(Int3{x, y, z});
}

// Decides by a slow way whether two triangles meet: they do if the differences of their points, which form a
// convex body, include the origin. The body is the hull of nine points, and each of its points lies in a
// simplex of at most four of them (Carathéodory). Points are exact; triangles may have no area.

using TriangleCorners = std::array<Vec3w, 3>;

inline constexpr Vec3w kOrigin = {0, 0, 0};

inline Wide volume(Vec3w a, Vec3w b, Vec3w c) {
  return dot(a, cross(b, c));
}

inline bool holds_origin(Vec3w a, Vec3w b) {
  return cross(a, b) == kOrigin && dot(a, b) <= 0;
}

inline bool holds_origin(Vec3w a, Vec3w b, Vec3w c) {
  const Vec3w normal = cross(b - a, c - a);
  return normal != kOrigin && volume(a, b, c) == 0 && dot(normal, cross(a, b)) >= 0 &&
         dot(normal, cross(b, c)) >= 0 && dot(normal, cross(c, a)) >= 0;
}

inline bool holds_origin(Vec3w a, Vec3w b, Vec3w c, Vec3w d) {
  const Wide whole = volume(b - a, c - a, d - a);
  if (whole == 0) return false;
  // The volumes of the four parts into which the origin divides the simplex. The origin is inside if no part
  // has the opposite sign of the whole.
  const std::array<Wide, 4> parts = {volume(b, c, d), -volume(a, c, d), volume(a, b, d), -volume(a, b, c)};
  for (const Wide part : parts)
    if (whole > 0 ? part < 0 : part > 0) return false;
  return true;
}

inline bool triangles_meet(const TriangleCorners& one, const TriangleCorners& other) {
  std::vector<Vec3w> points;
  for (const Vec3w& p : one)
    for (const Vec3w& q : other) points.push_back(p - q);
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i] == kOrigin) return true;
    for (size_t j = i + 1; j < points.size(); ++j) {
      if (holds_origin(points[i], points[j])) return true;
      for (size_t k = j + 1; k < points.size(); ++k) {
        if (holds_origin(points[i], points[j], points[k])) return true;
        for (size_t l = k + 1; l < points.size(); ++l)
          if (holds_origin(points[i], points[j], points[k], points[l])) return true;
      }
    }
  }
  return false;
}

}  // namespace vox::brute

namespace vox {

// Scenes as plain arrays of voxels.

struct Dense {
  uint32_t side = 0;
  std::vector<int8_t> voxels;  // material, or kEmptyVoxel; x fastest

  explicit Dense(uint32_t n) : side(n), voxels(size_t{n} * n * n, dag::kEmptyVoxel) {}
  size_t index(Int3 p) const {
    return (static_cast<size_t>(p.z) * side + static_cast<size_t>(p.y)) * side + static_cast<size_t>(p.x);
  }
  int8_t& at(Int3 p) { return voxels[index(p)]; }
  int8_t at(Int3 p) const { return voxels[index(p)]; }
  bool filled(Int3 p) const { return at(p) != dag::kEmptyVoxel; }
  bool contains(Int3 p) const {
    auto n = static_cast<int32_t>(side);
    return p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < n && p.y < n && p.z < n;
  }
};

inline Int3 child_corner(Int3 corner, uint32_t child, uint32_t child_side) {
  return corner + morton_decode(child) * static_cast<int32_t>(child_side);
}

inline void expand(const dag::FrozenDag& dag, uint32_t level, uint32_t number, Int3 corner, Dense& dense) {
  const uint32_t* node = dag.levels[level].node(number);
  if (level == dag.depth()) {
    for (uint32_t bit = 0; bit < 64; ++bit)
      if (dag::leaf_mask(node) >> bit & 1)
        dense.at(child_corner(corner, bit, 1)) =
            static_cast<int8_t>(dag.materials ? dag::leaf_material(node, bit) : 0);
    return;
  }
  for (uint32_t child = 0; child < 8; ++child)
    if (node[0] >> child & 1)
      expand(dag, level + 1, node[dag::child_word(node[0], child)],
             child_corner(corner, child, dag.level_side(level + 1)), dense);
}

inline Dense to_dense(const dag::FrozenDag& dag) {
  Dense dense(dag.side());
  if (!dag.empty()) expand(dag, 0, 0, {0, 0, 0}, dense);
  return dense;
}

// Returns the canonical DAG of the array, made by the slow way.
inline dag::FrozenDag reference_dag(const Dense& dense, uint32_t resolution, bool materials) {
  return dense_dag(resolution, materials, [&](uint32_t x, uint32_t y, uint32_t z) -> int {
    return dense.at({static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)});
  });
}

}  // namespace vox

namespace vox::brute {

// Compares the voxels that an engine fills for a whole scene with those of the brute-force test.

inline uint32_t cube_side(uint32_t resolution) {
  return std::bit_ceil(std::max(resolution, dag::kLeafSide));
}

inline Dense cover(const std::vector<SnappedTriangle>& triangles, uint32_t resolution,
                   scene::Coverage coverage) {
  Dense dense(cube_side(resolution));
  for (const SnappedTriangle& t : triangles)
    for_each_voxel(voxel_range(t, resolution), [&](Int3 voxel) {
      if (!dense.filled(voxel) && covers(t, voxel, coverage)) dense.at(voxel) = 0;
    });
  return dense;
}

inline const char* name(scene::Coverage coverage) {
  return coverage == scene::Coverage::Thin ? "thin" : "conservative";
}

inline std::string text(Int3 voxel) {
  return fmt::format("voxel ({}, {}, {})", voxel.x, voxel.y, voxel.z);
}

inline std::string text(const SnappedTriangle& t) {
  auto point = [](Vec3w p) {
    return fmt::format("({}, {}, {})", static_cast<int64_t>(p.x), static_cast<int64_t>(p.y),
                       static_cast<int64_t>(p.z));
  };
  return fmt::format("{} {} {}", point(t.v[0]), point(t.v[1]), point(t.v[2]));
}

inline bool in_range(VoxelRange range, Int3 p) {
  return p.x >= range.min.x && p.y >= range.min.y && p.z >= range.min.z && p.x <= range.max.x &&
         p.y <= range.max.y && p.z <= range.max.z;
}

// Names the first voxel that differs and the triangles near it, in 1/512 voxel.
inline testing::AssertionResult same_coverage(const Dense& expected, const Dense& actual,
                                              const std::vector<SnappedTriangle>& triangles,
                                              uint32_t resolution) {
  if (expected.side != actual.side)
    return testing::AssertionFailure() << "sides " << expected.side << " and " << actual.side;
  uint64_t missing = 0, extra = 0;
  std::string first;
  for_each_voxel({{0, 0, 0}, Int3{1, 1, 1} * static_cast<int32_t>(expected.side - 1)}, [&](Int3 p) {
    if (expected.filled(p) == actual.filled(p)) return;
    ++(expected.filled(p) ? missing : extra);
    if (!first.empty()) return;
    first = fmt::format("{} should be {}", text(p), expected.filled(p) ? "filled" : "empty");
    for (size_t i = 0; i < triangles.size(); ++i)
      if (in_range(voxel_range(triangles[i], resolution), p))
        first += fmt::format("\n  triangle {}: {}", i, text(triangles[i]));
  });
  if (missing + extra == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << missing << " voxels missing, " << extra << " too many; " << first;
}

// The inside of a mesh by loops over all voxels, in exact arithmetic. Tests compare the library's results with it.

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
