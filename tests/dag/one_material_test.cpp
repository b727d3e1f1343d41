#include "libvox/dag/one_material.h"

#include <gtest/gtest.h>

#include "tests/dag/grids.h"
#include "tests/dag/same_dag.h"

namespace vox {
namespace {

TEST(OneMaterial, GivesWhatTheSameVoxelsGiveThatAllHaveMaterial0) {
  for (const DenseGrid& grid : all_grids())
    for (const uint32_t resolution : {4u, 6u, 37u, 64u}) {
      SCOPED_TRACE(resolution);
      const DenseGrid zero = [&](uint32_t x, uint32_t y, uint32_t z) {
        return grid(x, y, z) == dag::kEmptyVoxel ? dag::kEmptyVoxel : 0;
      };
      const dag::FrozenDag result = dag::with_one_material(dense_dag(resolution, false, grid));
      expect_equal(result, dense_dag(resolution, true, zero));
      EXPECT_NO_THROW(dag::verify(result));
    }
}

}  // namespace
}  // namespace vox
