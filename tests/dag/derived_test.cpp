// Scenes that are made of other scenes, compared with dense grids: coarser levels, and edited parts put back.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "libvox/base/error.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/digests.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/graft.h"
#include "libvox/dag/verify.h"
#include "libvox/dag/voxels_by_material.h"
#include "libvox/dag/walk.h"
#include "libvox/ranks/ranks.h"
#include "tests/common/random.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

// Returns the most frequent material of a cube's filled voxels, the lowest if several are equally frequent.
int most_frequent(const DenseGrid& grid, uint32_t resolution, Int3 corner, int32_t side) {
  std::array<uint32_t, 16> counts = {};
  const auto last = static_cast<int32_t>(resolution);
  for (int32_t z = corner.z; z < std::min(corner.z + side, last); ++z)
    for (int32_t y = corner.y; y < std::min(corner.y + side, last); ++y)
      for (int32_t x = corner.x; x < std::min(corner.x + side, last); ++x) {
        const int value = grid(static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z));
        if (value != dag::kEmptyVoxel) ++counts[static_cast<size_t>(value)];
      }
  const auto most = std::ranges::max_element(counts);
  return *most == 0 ? dag::kEmptyVoxel : static_cast<int>(most - counts.begin());
}

// Returns the DAG that the DAG of these voxels must become.
dag::FrozenDag expected_dag(const DenseGrid& grid, uint32_t resolution, uint32_t halvings, bool materials) {
  const uint32_t coarse = dag::coarser_resolutions(resolution)[halvings - 1];
  const auto side = static_cast<int32_t>(1u << halvings);
  std::vector<int> values(uint64_t{coarse} * coarse * coarse);
  const auto place = [&](uint32_t x, uint32_t y, uint32_t z) { return (z * coarse + y) * coarse + x; };
  for (uint32_t z = 0; z < coarse; ++z)
    for (uint32_t y = 0; y < coarse; ++y)
      for (uint32_t x = 0; x < coarse; ++x) {
        const Int3 corner =
            Int3{static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)} * side;
        values[place(x, y, z)] = most_frequent(grid, resolution, corner, side);
      }
  return dense_dag(coarse, materials,
                   [&](uint32_t x, uint32_t y, uint32_t z) { return values[place(x, y, z)]; });
}

void expect_exact(const DenseGrid& grid, uint32_t resolution) {
  const size_t levels = dag::coarser_resolutions(resolution).size();
  for (const bool materials : {true, false}) {
    const dag::FrozenDag dag = dense_dag(resolution, materials, grid);
    for (uint32_t halvings = 1; halvings <= levels; ++halvings) {
      SCOPED_TRACE(testing::Message()
                   << resolution << ", halved " << halvings << " times" << (materials ? ", materials" : ""));
      const dag::FrozenDag result = dag::coarser(dag, halvings);
      expect_equal(result, expected_dag(grid, resolution, halvings, materials));
      if (materials && halvings <= 3) expect_equal(dag::coarser(dag, halvings, {.counts = 0}), result);
      if (halvings == 1) expect_equal(dag::coarser(dag, 1, {.limit = 8 << 20}), result);  // in small batches
      ranks::run_thread_ranks(3, [&](ranks::Ranks& ranks) {
        const dag::FrozenDag shared = dag::coarser(dag, halvings, {}, ranks);
        if (ranks.rank() == 0) expect_equal(shared, result);
      });
      EXPECT_NO_THROW(dag::verify(result));
    }
  }
}

TEST(Coarser, HalvesResolutionsRoundedUpAsLongAsALeafIsFilled) {
  EXPECT_EQ(dag::coarser_resolutions(4096),
            (std::vector<uint32_t>{2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4}));
  EXPECT_EQ(dag::coarser_resolutions(100), (std::vector<uint32_t>{50, 25, 13, 7, 4}));
  EXPECT_EQ(dag::coarser_resolutions(7), (std::vector<uint32_t>{4}));
  EXPECT_TRUE(dag::coarser_resolutions(6).empty());
  EXPECT_TRUE(dag::coarser_resolutions(4).empty());
}

TEST(Coarser, FillsAVoxelWhereAnyBelowIsWithTheMaterialOfMost) {
  for (const DenseGrid& grid : all_grids())
    for (const uint32_t resolution : {7u, 8u, 9u, 37u, 64u, 100u}) expect_exact(grid, resolution);
}

// With few materials in few voxels, two materials are equally frequent in many of the larger voxels.
TEST(Coarser, TakesTheLowerOfMaterialsThatAreAsFrequent) {
  Random random(7);
  for (uint32_t round = 0; round < 40; ++round) {
    const uint32_t resolution = 8 + random.below(40), share = 1 + random.below(12),
                   seed = random.below(1000000);
    expect_exact(
        [&](uint32_t x, uint32_t y, uint32_t z) {
          const uint64_t hash = mix64(seed + x + 1000 * y + 1000000 * z);
          return hash % share == 0 ? static_cast<int>(14 - (hash >> 32) % 3) : dag::kEmptyVoxel;
        },
        resolution);
  }
}

// These scenes are so deep that counts are remembered on the way up.
TEST(Coarser, CountsTheFinestVoxelsHoweverFarBelow) {
  for (const DenseGrid& grid : {DenseGrid(shell), dust(3)}) expect_exact(grid, 256);
}

// The DAG has one node a level and 2^20 voxels a side. The lower half of each leaf has material 9, the upper
// half 3.
TEST(Coarser, CountsWhatNoDenseGridCouldHold) {
  dag::FrozenDag dag = dag::empty_dag(1u << 20, true);
  Words& leaf = dag.levels.back().words;
  leaf.assign(10, 0x99999999u);
  leaf[0] = leaf[1] = UINT32_MAX;
  for (size_t i = 6; i < 10; ++i) leaf[i] = 0x33333333u;
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    dag.levels[level].words.assign(9, 0);
    dag.levels[level].words[0] = 0xff;
  }
  for (dag::DagLevel& level : dag.levels) level.nodes = 1;
  dag::place_nodes(dag);
  dag::count_octree(dag);
  dag.digest = dag::compute_digest(dag);
  ASSERT_NO_THROW(dag::verify(dag));
  for (uint32_t halvings = 2; halvings <= dag::coarser_resolutions(dag.resolution).size(); ++halvings) {
    const dag::FrozenDag result = dag::coarser(dag, halvings);
    EXPECT_NO_THROW(dag::verify(result));
    EXPECT_EQ(result.voxels, uint64_t{1} << 3 * (20 - halvings));
    EXPECT_EQ(dag::voxel_at(result, 1, 2, 3), 3) << halvings;
  }
}

TEST(Coarser, KeepsWhereTheSceneLiesAndWhatItIsMadeOf) {
  dag::VoxelScene scene;
  scene.dag = dense_dag(100, true, shell);
  scene.origin = {1, 2, 3};
  scene.voxel_size = 0.25;
  scene.palette.count = 16;
  scene.shares[3] = 1;
  scene.history.push_back({"clear", "2026-01-01", scene.dag.digest});
  const dag::VoxelScene result = dag::coarser(scene, 3);
  EXPECT_EQ(result.dag.resolution, 13u);
  EXPECT_EQ(result.origin, scene.origin);
  EXPECT_EQ(result.voxel_size, 2);
  EXPECT_EQ(result.palette.count, 16u);
  EXPECT_EQ(result.shares, scene.shares);
  ASSERT_EQ(result.history.size(), 1u);
  EXPECT_EQ(result.history[0].digest, scene.dag.digest);
}

TEST(Coarser, SaysThatMemoryIsTooLittle) {
  EXPECT_THROW(dag::coarser(dense_dag(100, true, shell), 1, {.limit = 1}), OutOfMemory);
}

// The children of the root change places, and so do the root's numbers of them: the same voxels in another order.
TEST(Coarser, RefusesNodesThatAreNotInCanonicalOrder) {
  dag::FrozenDag dag = dense_dag(64, true, dust(3));
  dag::DagLevel& below = dag.levels[1];
  const auto middle = static_cast<ptrdiff_t>(below.places[1]);
  std::rotate(below.words.begin(), below.words.begin() + middle, below.words.end());
  Words& root = dag.levels[0].words;
  const auto last = static_cast<uint32_t>(below.nodes - 1);
  for (size_t i = 1; i < root.size(); ++i) root[i] = root[i] == 0 ? last : root[i] - 1;
  dag::place_nodes(dag);
  ASSERT_EQ(dag::compute_digest(dag), dag.digest);
  EXPECT_THROW(dag::coarser(dag, 1), Error);
  EXPECT_THROW(dag::without_materials(dag), Error);
}

TEST(Coarser, TheHalvingsToAResolutionAreThoseOfTheListOfLevels) {
  EXPECT_EQ(dag::halvings_to(50, 100), 1u);
  EXPECT_EQ(dag::halvings_to(13, 100), 3u);
  try {
    dag::halvings_to(30, 100);
    FAIL() << "30 is no level of 100";
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "the resolution is 30, but the coarser levels of a scene of 100 voxels are 50, 25, 13, 7, 4; "
        "the nearest is 25");
  }
  EXPECT_THROW(dag::halvings_to(4, 4), UsageError);
}

TEST(Coarser, TheHalvingsBelowANumberOfVoxelsGiveTheFinestLevelThatHasNoMore) {
  EXPECT_EQ(dag::halvings_below(100 * 100 * 100, 100), 0u);
  EXPECT_EQ(dag::halvings_below(100 * 100 * 100 - 1, 100), 1u);
  EXPECT_EQ(dag::halvings_below(25 * 25 * 25, 100), 2u);
  EXPECT_EQ(dag::halvings_below(1, 100), 5u);  // down to the coarsest level
}

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
  const dag::FrozenDag part = dag::clipped(dense_dag(16, true, nothing), VoxelBox{{1, 1, 1}, {5, 5, 5}});
  EXPECT_TRUE(part.empty());
  EXPECT_NO_THROW(dag::verify(part));
}

TEST(FilledBox, IsTheSmallestAroundAllVoxels) {
  EXPECT_TRUE(dag::filled_box(dense_dag(16, true, nowhere)).empty());
  for (const VoxelBox& box : {VoxelBox{{3, 5, 7}, {42, 21, 30}}, VoxelBox{{0, 33, 0}, {64, 64, 1}},
                              VoxelBox{{9, 13, 2}, {10, 14, 50}}, VoxelBox{{60, 60, 60}, {61, 61, 61}}})
    for (const bool full : {false, true}) {
      // Either all voxels of the box are filled, or only those of two opposite corners.
      const auto grid = [&](uint32_t x, uint32_t y, uint32_t z) {
        const Int3 p = {int32_t(x), int32_t(y), int32_t(z)}, last = box.max - Int3{1, 1, 1};
        const bool filled = full ? !intersection(cube_at(p, 1), box).empty() : p == box.min || p == last;
        return filled ? 1 : dag::kEmptyVoxel;
      };
      EXPECT_EQ(dag::filled_box(dense_dag(64, true, grid)), box);
    }
}

// Most faces of these boxes lie inside nodes, and several nodes reach farther out than the face.
TEST(FilledBox, IsTheSmallestAroundVoxelsAtRandomPlaces) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    VoxelBox box = {{64, 64, 64}, {0, 0, 0}};
    const auto grid = [&](uint32_t x, uint32_t y, uint32_t z) {
      const auto off = static_cast<uint32_t>(seed % 8);
      const bool inside = std::min({x, y, z}) >= off && std::max({x, y, z}) < 64 - off;
      return inside && mix64(seed << 32 | x << 16 | y << 8 | z) % (uint64_t{10} << seed % 11) == 0
                 ? 1
                 : dag::kEmptyVoxel;
    };
    for (int32_t i = 0; i < 64 * 64 * 64; ++i) {
      const Int3 at = {i % 64, i / 64 % 64, i / 64 / 64};
      if (grid(uint32_t(at.x), uint32_t(at.y), uint32_t(at.z)) != dag::kEmptyVoxel)
        box = hull(box, cube_at(at, 1));
    }
    if (!box.empty()) {
      EXPECT_EQ(dag::filled_box(dense_dag(64, true, grid)), box) << seed;
    }
  }
}

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

TEST(WithoutMaterials, GivesWhatTheSameVoxelsGiveThatNeverHadMaterials) {
  for (const DenseGrid& grid : all_grids())
    for (const uint32_t resolution : {4u, 6u, 37u, 64u}) {
      SCOPED_TRACE(resolution);
      const dag::FrozenDag result = dag::without_materials(dense_dag(resolution, true, grid));
      expect_equal(result, dense_dag(resolution, false, grid));
      EXPECT_NO_THROW(dag::verify(result));
    }
}

TEST(WithoutMaterials, LeavesASceneThatHasNoneAsItIs) {
  const dag::FrozenDag dag = dense_dag(64, false, shell);
  expect_equal(dag::without_materials(dag), dag);
}

TEST(MajorityMaterials, OfADagOfOneLeafAreThatLeafs) {
  const dag::FrozenDag dag =
      dense_dag(4, true, [](uint32_t x, uint32_t, uint32_t) { return x == 0 ? 2 : 5; });
  EXPECT_EQ(dag::majority_materials(dag, 0, UINT64_MAX, ranks::alone()), (dag::MaterialBytes{5}));
}

// Tests that an edited part is put back into its scene: the result is the scene of the dense grid after the edit.

// Voxels in blocks of a side, some of which are empty, so that nodes of all levels are full, empty and shared.
DenseGrid random_blocks(uint64_t seed, uint32_t side, uint32_t materials) {
  return [=](uint32_t x, uint32_t y, uint32_t z) -> int {
    const uint64_t hash =
        mix64(seed ^ mix64((uint64_t{x / side} << 40) + (uint64_t{y / side} << 20) + z / side));
    return hash % 3 == 0 ? dag::kEmptyVoxel : static_cast<int>(hash / 3 % materials);
  };
}

bool inside(const VoxelRegion& region, uint32_t x, uint32_t y, uint32_t z) {
  const VoxelBox voxel =
      cube_at({static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)}, 1);
  return std::ranges::any_of(region, [&](const VoxelBox& box) { return !intersection(box, voxel).empty(); });
}

DenseGrid changed_in(const VoxelRegion& region, const DenseGrid& before, const DenseGrid& after) {
  return [=](uint32_t x, uint32_t y, uint32_t z) {
    return inside(region, x, y, z) ? after(x, y, z) : before(x, y, z);
  };
}

void expect_grafted(uint32_t resolution, bool materials, const VoxelRegion& region, const DenseGrid& before,
                    const DenseGrid& after) {
  const auto whole = std::make_shared<dag::FrozenDag>(dense_dag(resolution, materials, before));
  const dag::FrozenDag expected = dense_dag(resolution, materials, changed_in(region, before, after));
  const dag::Graft graft(whole, region);
  expect_equal(dense_dag(resolution, materials, changed_in(graft.region(), nowhere, before)), graft.part());
  const dag::FrozenDag result = graft.with(dag::clipped(expected, graft.region()));
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

VoxelRegion random_region(Random& random, uint32_t resolution) {
  VoxelRegion region;
  for (uint32_t boxes = 1 + random.below(random.below(2) == 0 ? 1 : 9); boxes > 0; --boxes)
    region.push_back(random_box(random, resolution));
  return region;
}

// Boxes that overlap, and boxes that fill a cube of the DAG together, of which none fills it alone.
TEST(Clipped, OfABoxesRegionIsTheGridInsideAnyOfThem) {
  Random random(2);
  for (uint32_t i = 0; i < 8 * kThoroughness; ++i) {
    const uint32_t resolution = 4 + random.below(61);
    const DenseGrid grid = i % 2 == 0 ? DenseGrid(everywhere) : random_blocks(i, 1 + random.below(9), 2);
    VoxelRegion region = random_region(random, resolution);
    if (i % 4 == 0)
      region = {{{0, 0, 0}, {9, 64, 64}}, {{9, 0, 0}, {64, 40, 64}}, {{9, 38, 1}, {64, 64, 64}}};
    SCOPED_TRACE(testing::Message() << "case " << i << ", " << resolution << "³");
    expect_equal(dense_dag(resolution, true, changed_in(region, nowhere, grid)),
                 dag::clipped(dense_dag(resolution, true, grid), region));
  }
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
    expect_grafted(resolution, materials, random_region(random, resolution), before, afters[random.below(5)]);
  }
}

// The words of the leaves, and of the nodes above them, are made piece by piece.
TEST(Graft, OfALargeSceneIsReadPieceByPiece) {
  expect_grafted(160, true, {{{20, 70, 80}, {61, 102, 99}}}, random_blocks(7, 2, 3), random_blocks(8, 3, 3));
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
  for (const uint32_t count : {1u, 2u, 3u, 7u})
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
  expect_grafted(64, true, {{{8, 8, 8}, {17, 12, 11}}}, nowhere, everywhere);
  expect_grafted(64, false, {{{8, 8, 8}, {17, 12, 11}}}, nowhere, nowhere);
}

TEST(Graft, MayLeaveNothing) {
  const VoxelRegion region = {{{40, 3, 7}, {50, 9, 33}}};
  expect_grafted(64, true, region, changed_in(region, nowhere, everywhere), nowhere);
}

TEST(Graft, ScenesOfOneLeafAreThePart) {
  expect_grafted(4, true, {{{1, 1, 1}, {2, 2, 2}}}, random_blocks(1, 1, 3), everywhere);
}

// Edits of an edited scene read their nodes through both.
TEST(Graft, MayBeOfAGraft) {
  const DenseGrid before = random_blocks(5, 2, 3),
                  between = changed_in({{{3, 4, 5}, {20, 21, 22}}}, before, everywhere),
                  after = changed_in({{{12, 4, 5}, {30, 30, 30}}}, between, random_blocks(6, 3, 3));
  const auto whole = std::make_shared<dag::FrozenDag>(dense_dag(64, true, before));
  const dag::FrozenDag first = dense_dag(64, true, between), second = dense_dag(64, true, after);
  const dag::Graft one(whole, {{{3, 4, 5}, {20, 21, 22}}});
  const auto edited = std::make_shared<dag::FrozenDag>(one.with(dag::clipped(first, one.region())));
  const dag::Graft two(edited, {{{12, 4, 5}, {30, 30, 30}}});
  expect_equal(second, two.with(dag::clipped(second, two.region())));
}

}  // namespace
}  // namespace vox
