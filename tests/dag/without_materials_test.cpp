#include <gtest/gtest.h>

#include "tests/common/test_engine.h"
#include "tests/dag/grids.h"
#include "tests/dag/same_dag.h"

namespace vox {
namespace {

TEST(WithoutMaterials, GivesWhatTheSameVoxelsGiveThatNeverHadMaterials) {
  const auto engine = test_engine();
  for (const DenseGrid& grid : all_grids())
    for (const uint32_t resolution : {4u, 6u, 37u, 64u}) {
      SCOPED_TRACE(resolution);
      const dag::FrozenDag result = engine->without_materials(dense_dag(resolution, true, grid));
      expect_equal(result, dense_dag(resolution, false, grid));
      EXPECT_NO_THROW(dag::verify(result));
    }
}

TEST(WithoutMaterials, LeavesASceneThatHasNoneAsItIs) {
  const dag::FrozenDag dag = dense_dag(64, false, shell);
  expect_equal(test_engine()->without_materials(dag), dag);
}

}  // namespace
}  // namespace vox
