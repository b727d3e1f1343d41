#include "libvox/dag/walk.h"

#include <gtest/gtest.h>

#include <vector>

#include "libvox/base/mix.h"
#include "libvox/base/morton.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

int noise(uint32_t x, uint32_t y, uint32_t z) {
  if (x < 16 && y < 16 && z >= 16) return 3;
  uint64_t hash = mix64(x | uint64_t{y} << 20 | uint64_t{z} << 40);
  return hash % 20 == 0 ? static_cast<int>(hash >> 8 & 15) : dag::kEmptyVoxel;
}

constexpr uint32_t kResolution = 37;
const VoxelBox kRegions[] = {{{0, 0, 0}, {37, 37, 37}},
                             {{3, 5, 7}, {31, 18, 30}},
                             {{11, 0, 20}, {12, 37, 21}},
                             {{-9, -9, -9}, {99, 99, 99}},
                             {{5, 5, 5}, {5, 9, 9}}};

bool inside(Int3 v, const VoxelBox& box) {
  return v.x >= box.min.x && v.y >= box.min.y && v.z >= box.min.z && v.x < box.max.x && v.y < box.max.y &&
         v.z < box.max.z;
}

// A dense copy of the voxels that the walk reports; each may be reported only once.
struct Painted {
  std::vector<int> values = std::vector<int>(kResolution * kResolution * kResolution, dag::kEmptyVoxel);

  void put(Int3 v, uint32_t material) {
    ASSERT_TRUE(inside(v, cube_at({0, 0, 0}, kResolution)));
    int& value = values[(size_t(v.z) * kResolution + size_t(v.y)) * kResolution + size_t(v.x)];
    EXPECT_EQ(value, dag::kEmptyVoxel) << "reported twice";
    value = static_cast<int>(material);
  }
  void put_leaf(Int3 corner, uint64_t mask, const uint32_t* leaf) {
    EXPECT_NE(mask, 0u);
    for (uint32_t bit = 0; bit < 64; ++bit)
      if ((mask >> bit & 1) != 0) put(corner + morton_decode(bit), dag::leaf_material(leaf, bit));
  }
  void expect(const VoxelBox& region) const {
    auto value = values.begin();
    for (uint32_t z = 0; z < kResolution; ++z)
      for (uint32_t y = 0; y < kResolution; ++y)
        for (uint32_t x = 0; x < kResolution; ++x, ++value)
          ASSERT_EQ(*value, inside({int(x), int(y), int(z)}, region) ? noise(x, y, z) : dag::kEmptyVoxel)
              << x << ' ' << y << ' ' << z;
  }
};

TEST(Walk, ReportsTheFilledVoxelsOfTheRegionLeafByLeaf) {
  dag::FrozenDag dag = dense_dag(kResolution, true, noise);
  for (const VoxelBox& region : kRegions) {
    Painted painted;
    dag::for_each_leaf(dag, region, [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
      painted.put_leaf(corner, mask, leaf);
    });
    painted.expect(region);
  }
}

TEST(Walk, ReportsSolidNodesAsAWhole) {
  dag::FrozenDag dag = dense_dag(kResolution, true, noise);
  for (const VoxelBox& region : kRegions) {
    Painted painted;
    std::vector<VoxelBox> boxes;
    dag::for_each_leaf(
        dag, region,
        [&](Int3 corner, uint64_t mask, const uint32_t* leaf) { painted.put_leaf(corner, mask, leaf); },
        [&](const VoxelBox& box, uint32_t material) {
          boxes.push_back(box);
          for (int32_t z = box.min.z; z < box.max.z; ++z)
            for (int32_t y = box.min.y; y < box.max.y; ++y)
              for (int32_t x = box.min.x; x < box.max.x; ++x) painted.put({x, y, z}, material);
        });
    painted.expect(region);
    VoxelBox solid = intersection({{0, 0, 16}, {16, 16, 32}}, region);
    if (!solid.empty()) {
      EXPECT_EQ(boxes.front(), solid);
    }
  }
}

TEST(Walk, VisitsLeavesInMortonOrder) {
  dag::FrozenDag dag = dense_dag(kResolution, true, noise);
  uint64_t leaves = 0, last = 0;
  dag::for_each_leaf(dag, kRegions[1], [&](Int3 c, uint64_t, const uint32_t*) {
    uint64_t code = morton_encode(uint32_t(c.x), uint32_t(c.y), uint32_t(c.z));
    EXPECT_TRUE(leaves++ == 0 || code > last);
    last = code;
  });
  EXPECT_GT(leaves, 100u);
}

TEST(Walk, EmptyScenesAndScenesOfOneLeafAreFine) {
  int calls = 0;
  auto count = [&](Int3, uint64_t mask, const uint32_t*) { calls += popcount(mask); };
  dag::for_each_leaf(dense_dag(64, true, [](auto...) { return dag::kEmptyVoxel; }), cube_at({0, 0, 0}, 64),
                     count);
  EXPECT_EQ(calls, 0);
  dag::for_each_leaf(dense_dag(4, false, [](auto...) { return 0; }), {{1, 0, 0}, {3, 2, 4}}, count);
  EXPECT_EQ(calls, 16);
}

TEST(Walk, SkipsWhatLiesOutsideTheRegion) {
  dag::FrozenDag dag = dense_dag(64, false, [](auto...) { return 0; });
  int nodes = 0;
  dag::for_each_node(dag, {{21, 22, 23}, {22, 23, 24}}, [&](uint32_t level, Int3 corner, const uint32_t*) {
    EXPECT_TRUE(inside({21, 22, 23}, cube_at(corner, dag.level_side(level))));
    ++nodes;
    return true;
  });
  EXPECT_EQ(nodes, 5);  // nodes of 64, 32, 16, 8 and 4 voxels a side
}

TEST(Walk, BoundsOfALeafAreThoseOfItsVoxels) {
  for (int a = 0; a < 64; ++a)
    for (int b = 0; b < 64; ++b) {
      VoxelBox bounds = dag::leaf_bounds(uint64_t{1} << a | uint64_t{1} << b);
      Int3 v = morton_decode(uint64_t(a)), w = morton_decode(uint64_t(b));
      ASSERT_EQ(bounds, hull(cube_at(v, 1), cube_at(w, 1)));
    }
}

}  // namespace
}  // namespace vox
