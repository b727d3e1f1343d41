#include "libvox/base/voxel_box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/common/random.h"

namespace vox {
namespace {

constexpr int32_t kReach = 4;

bool holds(const VoxelBox& box, Int3 v) {
  for (uint32_t axis = 0; axis < 3; ++axis)
    if (v[axis] < box.min[axis] || v[axis] >= box.max[axis]) return false;
  return true;
}

// Returns all voxels within kReach of the origin that a box may hold.
std::vector<Int3> voxels_where(const auto& held) {
  std::vector<Int3> voxels;
  for (int32_t z = -kReach; z < kReach; ++z)
    for (int32_t y = -kReach; y < kReach; ++y)
      for (int32_t x = -kReach; x < kReach; ++x)
        if (held(Int3{x, y, z})) voxels.push_back({x, y, z});
  return voxels;
}

std::vector<Int3> voxels_of(const VoxelBox& box) {
  return voxels_where([&](Int3 v) { return holds(box, v); });
}

// Returns boxes within kReach of the origin, some of them without voxels or inside out.
std::vector<VoxelBox> boxes() {
  Random random(1);
  const auto place = [&] {
    const auto coordinate = [&] { return static_cast<int32_t>(random.below(2 * kReach + 1)) - kReach; };
    return Int3{coordinate(), coordinate(), coordinate()};
  };
  std::vector<VoxelBox> boxes = {{{0, 0, 0}, {0, 0, 0}},
                                 {{-kReach, -kReach, -kReach}, {kReach, kReach, kReach}}};
  for (int i = 0; i < 30; ++i) {
    const Int3 a = place(), b = place();
    boxes.push_back({a, b});
    boxes.push_back({{std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)},
                     {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}});
  }
  return boxes;
}

TEST(VoxelBox, CountsTheVoxelsThatItHolds) {
  for (const VoxelBox& box : boxes()) {
    EXPECT_EQ(box.voxels(), voxels_of(box).size());
    EXPECT_EQ(box.empty(), voxels_of(box).empty());
  }
  EXPECT_EQ(cube_at({0, 0, 0}, 1u << 20).voxels(), uint64_t{1} << 60);
}

TEST(VoxelBox, OfACubeBeginsAtItsCorner) {
  EXPECT_EQ(cube_at({-3, 5, 0}, 4), (VoxelBox{{-3, 5, 0}, {1, 9, 4}}));
  EXPECT_EQ(cube_at({-3, 5, 0}, 4).size(), (Int3{4, 4, 4}));
  EXPECT_TRUE(cube_at({-3, 5, 0}, 0).empty());
}

TEST(VoxelBox, IntersectionsHoldWhatBothHold) {
  for (const VoxelBox& a : boxes())
    for (const VoxelBox& b : boxes())
      ASSERT_EQ(voxels_of(intersection(a, b)),
                voxels_where([&](Int3 v) { return holds(a, v) && holds(b, v); }));
}

TEST(VoxelBox, HullsAreTheSmallestBoxesAroundBoth) {
  for (const VoxelBox& a : boxes())
    for (const VoxelBox& b : boxes()) {
      if (a.empty() || b.empty()) continue;
      const std::vector<Int3> both = voxels_where([&](Int3 v) { return holds(a, v) || holds(b, v); });
      VoxelBox smallest = cube_at(both.front(), 1);
      for (const Int3 v : both)
        for (uint32_t axis = 0; axis < 3; ++axis) {
          smallest.min[axis] = std::min(smallest.min[axis], v[axis]);
          smallest.max[axis] = std::max(smallest.max[axis], v[axis] + 1);
        }
      ASSERT_EQ(hull(a, b), smallest);
    }
}

}  // namespace
}  // namespace vox
