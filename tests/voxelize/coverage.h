// Compares the voxels that an engine fills for a whole scene with those of the brute-force test.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "tests/voxelize/brute_force.h"
#include "tests/voxelize/dense.h"
#include "tests/voxelize/soup.h"

namespace vox::brute {

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
