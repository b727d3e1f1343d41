#include <gtest/gtest.h>

#include "tests/common/test_engine.h"
#include "tests/dag/grids.h"

namespace vox {
namespace {

void expect_equal(const FrozenDag& a, const FrozenDag& b) {
  EXPECT_EQ(to_string(a.digest), to_string(b.digest));
  EXPECT_EQ(a.materials, b.materials);
  EXPECT_EQ(a.voxels, b.voxels);
  ASSERT_EQ(a.levels.size(), b.levels.size());
  for (size_t level = 0; level < a.levels.size(); ++level) {
    EXPECT_TRUE(a.levels[level].words == b.levels[level].words) << "level " << level;
    EXPECT_EQ(a.levels[level].nodes, b.levels[level].nodes) << "level " << level;
    EXPECT_EQ(a.levels[level].svo_nodes, b.levels[level].svo_nodes) << "level " << level;
  }
}

TEST(WithoutMaterials, GivesWhatTheSameVoxelsGiveThatNeverHadMaterials) {
  const auto engine = test_engine();
  for (const DenseGrid& grid : all_grids())
    for (const uint32_t resolution : {4u, 6u, 37u, 64u}) {
      SCOPED_TRACE(resolution);
      const FrozenDag result = engine->without_materials(dense_dag(resolution, true, grid));
      expect_equal(result, dense_dag(resolution, false, grid));
      EXPECT_NO_THROW(verify(result));
    }
}

TEST(WithoutMaterials, LeavesASceneThatHasNoneAsItIs) {
  const FrozenDag dag = dense_dag(64, false, shell);
  expect_equal(test_engine()->without_materials(dag), dag);
}

}  // namespace
}  // namespace vox
