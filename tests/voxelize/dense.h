// Scenes as plain arrays of voxels.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "libvox/base/morton.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"
#include "tests/dag/dense_dag.h"
#include "tests/voxelize/brute_force.h"
#include "tests/voxelize/soup.h"

namespace vox {

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

}  // namespace vox::brute
