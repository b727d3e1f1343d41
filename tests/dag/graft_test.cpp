// Tests that an edited part is put back into its scene: the result is the scene of the dense grid after the edit.
#include "libvox/dag/graft.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "libvox/dag/digests.h"
#include "libvox/dag/parts.h"
#include "libvox/dag/verify.h"
#include "tests/common/random.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

// Voxels in blocks of a side, some of which are empty, so that nodes of all levels are full, empty and shared.
DenseGrid random_blocks(uint64_t seed, uint32_t side, uint32_t materials) {
  return [=](uint32_t x, uint32_t y, uint32_t z) -> int {
    const uint64_t hash =
        mix64(seed ^ mix64((uint64_t{x / side} << 40) + (uint64_t{y / side} << 20) + z / side));
    return hash % 3 == 0 ? dag::kEmptyVoxel : static_cast<int>(hash / 3 % materials);
  };
}

bool inside(const VoxelBox& box, uint32_t x, uint32_t y, uint32_t z) {
  const Int3 at = {static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)};
  for (uint32_t k = 0; k < 3; ++k)
    if (at[k] < box.min[k] || at[k] >= box.max[k]) return false;
  return true;
}

DenseGrid changed_in(const VoxelBox& box, const DenseGrid& before, const DenseGrid& after) {
  return [=](uint32_t x, uint32_t y, uint32_t z) {
    return inside(box, x, y, z) ? after(x, y, z) : before(x, y, z);
  };
}

void expect_grafted(uint32_t resolution, bool materials, const VoxelBox& box, const DenseGrid& before,
                    const DenseGrid& after) {
  const auto whole = std::make_shared<dag::FrozenDag>(dense_dag(resolution, materials, before));
  const dag::FrozenDag expected = dense_dag(resolution, materials, changed_in(box, before, after));
  const dag::Graft graft(whole, box);
  expect_equal(dag::clipped(*whole, graft.box()), graft.part());
  const dag::FrozenDag result = graft.with(dag::clipped(expected, graft.box()));
  expect_equal(expected, result);
  EXPECT_EQ(result.voxels, expected.voxels);
  EXPECT_NO_THROW(dag::verify(result));
  expect_equal(*whole, graft.with(graft.part()));  // nothing has been edited
}

VoxelBox random_box(Random& random, uint32_t resolution) {
  VoxelBox box;
  for (uint32_t k = 0; k < 3; ++k) {
    box.min[k] = static_cast<int32_t>(random.below(resolution));
    box.max[k] = box.min[k] + 1 + static_cast<int32_t>(random.below(resolution / (1 + random.below(8)) + 1));
  }
  return box;
}

TEST(Graft, IsTheSceneOfTheChangedGrid) {
  Random random(1);
  for (uint32_t i = 0; i < 4 * kThoroughness; ++i) {
    const uint32_t resolution = 4 + random.below(61), side = 1 + random.below(9);
    const bool materials = random.below(4) != 0;
    const DenseGrid before =
        random.below(6) == 0 ? DenseGrid(everywhere) : random_blocks(i, side, 1 + random.below(3));
    const DenseGrid afters[] = {random_blocks(i, side + 1, 3), nowhere, everywhere, before,
                                random_blocks(i + 1, side, 1)};
    SCOPED_TRACE(testing::Message() << "case " << i << ", " << resolution << "³");
    expect_grafted(resolution, materials, random_box(random, resolution), before, afters[random.below(5)]);
  }
}

// The words of the leaves, and of the nodes above them, are made piece by piece.
TEST(Graft, OfALargeSceneIsReadPieceByPiece) {
  expect_grafted(160, true, {{20, 70, 80}, {61, 102, 99}}, random_blocks(7, 2, 3), random_blocks(8, 3, 3));
}

TEST(Digests, AreTheSameInAFile) {
  const dag::FrozenDag dag = dense_dag(100, true, random_blocks(3, 1, 4));
  std::vector<std::vector<uint32_t>> numbers;
  for (const dag::DagLevel& level : dag.levels)
    numbers.push_back({0, static_cast<uint32_t>(level.nodes / 2), static_cast<uint32_t>(level.nodes - 1)});
  const auto expected = dag::digests_of(dag, numbers);
  EXPECT_EQ(dag::digests_of(dag, numbers, 1 << 14), expected);
  EXPECT_EQ(dag::digests_of(dag, numbers, 0), expected);
  EXPECT_EQ(dag::digest_of(dag, 0), dag.digest);
  EXPECT_EQ(expected.back()[1], dag::leaf_digest(dag.levels.back().node(numbers.back()[1]), true));
}

TEST(Digests, AreTheSameWhereSeveralRanksReadTheNodes) {
  const dag::FrozenDag dag = dense_dag(100, true, random_blocks(3, 1, 4));
  const std::vector<std::vector<uint32_t>> numbers(dag.levels.size(), std::vector<uint32_t>{0});
  const auto expected = dag::digests_of(dag, numbers);
  for (const uint32_t count : {1, 2, 3, 7})
    for (const uint64_t memory : {UINT64_MAX, uint64_t{0}})
      ranks::run_thread_ranks(count, [&](ranks::Ranks& ranks) {
        EXPECT_EQ(dag::digests_of(dag, numbers, memory, ranks), expected);
        EXPECT_EQ(dag::digest_of(dag, memory, ranks), dag.digest);
        const dag::OctreeCounts counts = dag::octree_counts(dag, memory, ranks);
        EXPECT_EQ(counts.voxels, dag.voxels);
        for (size_t level = 0; level < dag.levels.size(); ++level)
          EXPECT_EQ(counts.nodes[level], dag.levels[level].svo_nodes);
      });
}

TEST(Graft, OfAnEmptySceneIsThePart) {
  expect_grafted(64, true, {{8, 8, 8}, {17, 12, 11}}, nowhere, everywhere);
  expect_grafted(64, false, {{8, 8, 8}, {17, 12, 11}}, nowhere, nowhere);
}

TEST(Graft, MayLeaveNothing) {
  const VoxelBox box = {{40, 3, 7}, {50, 9, 33}};
  expect_grafted(64, true, box, changed_in(box, nowhere, everywhere), nowhere);
}

TEST(Graft, ScenesOfOneLeafAreThePart) {
  expect_grafted(4, true, {{1, 1, 1}, {2, 2, 2}}, random_blocks(1, 1, 3), everywhere);
}

// Edits of an edited scene read their nodes through both.
TEST(Graft, MayBeOfAGraft) {
  const DenseGrid before = random_blocks(5, 2, 3),
                  between = changed_in({{3, 4, 5}, {20, 21, 22}}, before, everywhere),
                  after = changed_in({{12, 4, 5}, {30, 30, 30}}, between, random_blocks(6, 3, 3));
  const auto whole = std::make_shared<dag::FrozenDag>(dense_dag(64, true, before));
  const dag::FrozenDag first = dense_dag(64, true, between), second = dense_dag(64, true, after);
  const dag::Graft one(whole, {{3, 4, 5}, {20, 21, 22}});
  const auto edited = std::make_shared<dag::FrozenDag>(one.with(dag::clipped(first, one.box())));
  const dag::Graft two(edited, {{12, 4, 5}, {30, 30, 30}});
  expect_equal(second, two.with(dag::clipped(second, two.box())));
}

}  // namespace
}  // namespace vox
