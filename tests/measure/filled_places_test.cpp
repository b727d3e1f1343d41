// Looks up random filled voxels in the dense grid from which the scene was made.
#include "libvox/measure/filled_places.h"

#include <gtest/gtest.h>

#include <map>

#include "libvox/base/morton.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

// A shell, a full block, and much empty space.
int shell_and_block(uint32_t x, uint32_t y, uint32_t z) {
  const uint32_t length2 = x * x + y * y + z * z;
  const bool block = x >= 16 && y < 8 && z >= 16;
  return block || (length2 >= 80 && length2 < 110) ? static_cast<int>(x % 16) : dag::kEmptyVoxel;
}

TEST(FilledPlaces, AreFilledVoxelsAndTheSameForASeed) {
  for (const bool materials : {true, false}) {
    const dag::FrozenDag dag = dense_dag(25, materials, shell_and_block);
    const std::vector<Int3> places = measure::filled_places(dag, 5, 3000);
    std::map<uint64_t, uint32_t> counts;
    for (const Int3& p : places) {
      const auto [x, y, z] = std::array{uint32_t(p.x), uint32_t(p.y), uint32_t(p.z)};
      EXPECT_NE(shell_and_block(x, y, z), dag::kEmptyVoxel) << x << "," << y << "," << z;
      ++counts[morton_encode(x, y, z)];
    }
    EXPECT_GT(counts.size(), 500u);
    EXPECT_EQ(measure::filled_places(dag, 5, 3000), places);
    EXPECT_NE(measure::filled_places(dag, 6, 3000), places);
  }
}

TEST(FilledPlaces, GiveEachChildOfANodeTheSameChance) {
  // One octant of the cube has two voxels and another one has one, which must be chosen every other time.
  const dag::FrozenDag dag = dense_dag(8, true, [](uint32_t x, uint32_t y, uint32_t z) {
    return y == 0 && z == 0 && (x < 2 || x == 7) ? 3 : dag::kEmptyVoxel;
  });
  std::map<int32_t, double> share;
  for (const Int3& place : measure::filled_places(dag, 1, 4000)) share[place.x] += 1 / 4000.;
  ASSERT_EQ(share.size(), 3u);
  EXPECT_NEAR(share[7], 0.5, 0.04);
  EXPECT_NEAR(share[0], 0.25, 0.04);
}

}  // namespace
}  // namespace vox
