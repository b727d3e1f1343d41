#include "libvox/dag/frozen_dag.h"

#include <gtest/gtest.h>

#include <random>

#include "libvox/base/error.h"
#include "tests/dag/grids.h"

namespace vox {
namespace {

void expect_holds(const dag::FrozenDag& dag, const DenseGrid& grid) {
  uint64_t voxels = 0;
  for (uint32_t z = 0; z < dag.side() + 2; ++z)
    for (uint32_t y = 0; y < dag.side() + 2; ++y)
      for (uint32_t x = 0; x < dag.side() + 2; ++x) {
        bool inside = x < dag.resolution && y < dag.resolution && z < dag.resolution;
        int expected = inside ? grid(x, y, z) : dag::kEmptyVoxel;
        voxels += expected != dag::kEmptyVoxel;
        if (!dag.materials && expected != dag::kEmptyVoxel) expected = 0;
        ASSERT_EQ(dag::voxel_at(dag, x, y, z), expected) << x << " " << y << " " << z;
      }
  EXPECT_EQ(dag.voxels, voxels);
}

TEST(FrozenDag, HoldsEveryVoxelOfADenseGrid) {
  for (auto* grid : {shell, blocks, everywhere, nowhere})
    for (uint32_t resolution : {1u, 4u, 5u, 16u, 37u, 64u})
      for (bool materials : {false, true}) {
        SCOPED_TRACE(testing::Message() << "R " << resolution << ", materials " << materials);
        dag::FrozenDag dag = dense_dag(resolution, materials, grid);
        expect_holds(dag, grid);
        EXPECT_NO_THROW(dag::verify(dag));
        EXPECT_EQ(dag::to_string(dag::compute_digest(dag)), dag::to_string(dag.digest));
      }
}

TEST(FrozenDag, ASolidCubeIsOneNodeALevel) {
  dag::FrozenDag dag = dense_dag(64, true, everywhere);
  ASSERT_EQ(dag.levels.size(), 5u);
  EXPECT_EQ(dag.unique_nodes(), 5u);
  EXPECT_EQ(dag.svo_nodes(), 1u + 8 + 64 + 512 + 4096);
  EXPECT_EQ(dag.levels[0].words, (Words{dag::homogeneous_header(5), 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(dag.levels[4].words.size(), 10u);
}

TEST(FrozenDag, LevelsFollowFromTheResolution) {
  EXPECT_EQ(dag::empty_dag(4, true).levels.size(), 1u);
  EXPECT_EQ(dag::empty_dag(5, true).side(), 8u);
  EXPECT_EQ(dag::empty_dag(65536, true).levels.size(), 15u);
  EXPECT_EQ(dag::empty_dag(65537, true).side(), 131072u);
  EXPECT_EQ(dag::empty_dag(1u << 20, true).depth(), 18u);
  EXPECT_EQ(dag::empty_dag(1u << 20, true).level_side(18), 4u);
}

// In a solid cube of 2^20 voxels a side, counts reach 2^60.
TEST(FrozenDag, CountsOfTheLargestSceneFit) {
  dag::FrozenDag dag = dag::empty_dag(1u << 20, false);
  dag.levels[18] = {.words = {UINT32_MAX, UINT32_MAX}, .nodes = 1, .svo_nodes = uint64_t{1} << 54};
  for (uint32_t level = 0; level < 18; ++level) {
    dag.levels[level] = {
        .words = {dag::homogeneous_header(0)}, .nodes = 1, .svo_nodes = uint64_t{1} << 3 * level};
    dag.levels[level].words.resize(9, 0);
  }
  dag.voxels = uint64_t{1} << 60;
  dag::place_nodes(dag);
  dag.digest = dag::compute_digest(dag);
  EXPECT_NO_THROW(dag::verify(dag));
  EXPECT_EQ(dag::voxel_at(dag, 0xfffff, 0xabcde, 3), 0);
  EXPECT_EQ(dag::voxel_at(dag, 0x100000, 0, 0), dag::kEmptyVoxel);
}

// Version 1 of the digest is stable for ever, so a change that breaks this test renames every scene. The
// first two figures were computed by a separate program from the text in digest.h.
TEST(FrozenDag, DigestsAreThoseOfVersion1) {
  EXPECT_EQ(dag::to_string(dag::empty_dag(64, true).digest), "52824a575afe4bb8cc99b05a076cf776");
  EXPECT_EQ(dag::to_string(dag::compute_digest(dense_dag(8, true, everywhere))),
            "7369d8045a4b643086c38cf5dbaa46ba");
  EXPECT_EQ(dag::to_string(dag::compute_digest(dense_dag(64, true, shell))),
            "c8fe4aba266df26e1f7f8b27de16e7c0");
  EXPECT_EQ(dag::to_string(dag::compute_digest(dense_dag(64, false, shell))),
            "ee5e67146c1ce026e0456cb7da994028");
}

TEST(FrozenDag, DigestsDifferWhereVoxelsMaterialsOrResolutionDo) {
  auto one_more = [](uint32_t x, uint32_t y, uint32_t z) {
    return x == 1 && y == 2 && z == 3 ? 1 : shell(x, y, z);
  };
  auto other_material = [](uint32_t x, uint32_t y, uint32_t z) {
    int value = shell(x, y, z);
    return x == 30 && y == 30 && value != dag::kEmptyVoxel ? value ^ 1 : value;
  };
  dag::Digest digest = dense_dag(60, true, shell).digest;
  EXPECT_NE(dense_dag(60, true, one_more).digest, digest);
  EXPECT_NE(dense_dag(60, true, other_material).digest, digest);
  EXPECT_NE(dense_dag(61, true, shell).digest, digest);
  EXPECT_NE(dag::empty_dag(60, true).digest, dag::empty_dag(60, false).digest);
}

}  // namespace
}  // namespace vox
