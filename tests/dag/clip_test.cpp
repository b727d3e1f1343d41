#include "libvox/dag/clip.h"

#include <gtest/gtest.h>

#include "tests/dag/dense_dag.h"
#include "tests/dag/same_dag.h"

namespace vox {
namespace {

// Noise of three materials with a solid box that contains whole nodes.
int clip_grid(uint32_t x, uint32_t y, uint32_t z) {
  if (x >= 8 && x < 35 && y >= 8 && y < 24 && z >= 5 && z < 37) return 11;
  const uint32_t hash = (x * 73856093u) ^ (y * 19349663u) ^ (z * 83492791u);
  return hash % 7 == 0 ? static_cast<int>(hash / 7 % 3) : dag::kEmptyVoxel;
}

DenseGrid inside(const VoxelBox& box) {
  return [box](uint32_t x, uint32_t y, uint32_t z) {
    const VoxelBox voxel = cube_at({int32_t(x), int32_t(y), int32_t(z)}, 1);
    return intersection(voxel, box).empty() ? dag::kEmptyVoxel : clip_grid(x, y, z);
  };
}

TEST(Clip, IsTheDagOfTheVoxelsInsideTheBox) {
  for (const bool materials : {false, true})
    for (const uint32_t resolution : {4u, 37u, 64u})
      for (const VoxelBox& box : {VoxelBox{{3, 5, 7}, {42, 21, 30}}, VoxelBox{{0, 0, 0}, {64, 64, 64}},
                                  VoxelBox{{9, 13, 2}, {10, 14, 50}}, VoxelBox{{32, 0, 0}, {64, 32, 64}},
                                  VoxelBox{{60, 60, 60}, {61, 61, 61}}, VoxelBox{{8, 8, 8}, {24, 24, 24}}}) {
        const dag::FrozenDag whole = dense_dag(resolution, materials, clip_grid);
        const dag::FrozenDag part = dag::clipped(whole, box);
        ASSERT_NO_THROW(dag::verify(part));
        expect_equal(part, dense_dag(resolution, materials, inside(box)));
      }
}

TEST(Clip, OfAnEmptySceneIsEmpty) {
  const auto nothing = [](uint32_t, uint32_t, uint32_t) { return dag::kEmptyVoxel; };
  const dag::FrozenDag part = dag::clipped(dense_dag(16, true, nothing), {{1, 1, 1}, {5, 5, 5}});
  EXPECT_TRUE(part.empty());
  EXPECT_NO_THROW(dag::verify(part));
}

}  // namespace
}  // namespace vox
