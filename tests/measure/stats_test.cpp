#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "libvox/base/error.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/walk.h"
#include "libvox/measure/stats.h"
#include "libvox/ranks/ranks.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

// Counts how often each node, by its level and offset, is pointed to and occurs, by a walk over the whole
// octree.
class OctreeWalk {
 public:
  explicit OctreeWalk(const dag::FrozenDag& dag) : dag_(dag), places_(dag.levels.size()), pointers_(places_) {
    if (dag.empty()) return;
    pointers_[0][0] = 1;
    visit(0, 0);
  }

  using Counts = std::map<uint32_t, uint64_t>;  // by the node's number
  const Counts& places(size_t level) const { return places_[level]; }
  const Counts& pointers(size_t level) const { return pointers_[level]; }

 private:
  void visit(uint32_t level, uint32_t number) {
    const bool first = ++places_[level][number] == 1;
    if (level == dag_.depth()) return;
    const uint32_t* node = dag_.levels[level].node(number);
    for (uint32_t i = 1; i < dag::node_words(node[0]); ++i) {
      if (first) ++pointers_[level + 1][node[i]];
      visit(level + 1, node[i]);
    }
  }

  const dag::FrozenDag& dag_;
  std::vector<Counts> places_, pointers_;
};

void expect_uses(const measure::UseCounts& counted, const OctreeWalk::Counts& expected) {
  uint64_t most = 0;
  std::array<uint64_t, 64> bins = {};
  for (const auto& [number, uses] : expected) {
    most = std::max(most, uses);
    for (size_t bin = 0; bin < 64; ++bin)
      if (uses >= uint64_t{1} << bin && (bin == 63 || uses < uint64_t{2} << bin)) ++bins[bin];
  }
  EXPECT_EQ(counted.most, most);
  EXPECT_EQ(counted.bins, bins);
}

TEST(DagStats, CountsUsesAsAWalkOverTheWholeOctreeDoes) {
  for (const DenseGrid& grid : all_grids())
    for (const bool materials : {false, true}) {
      const dag::FrozenDag dag = dense_dag(64, materials, grid);
      const measure::DagStats stats = measure::count_dag(dag);
      const OctreeWalk walk(dag);
      ASSERT_EQ(stats.levels.size(), dag.levels.size());
      for (size_t level = 0; level < dag.levels.size(); ++level) {
        SCOPED_TRACE(level);
        const measure::LevelStats& counted = stats.levels[level];
        EXPECT_EQ(counted.unique_nodes, dag.levels[level].nodes);
        EXPECT_EQ(counted.svo_nodes, dag.levels[level].svo_nodes);
        EXPECT_EQ(counted.words, dag.levels[level].words.size());
        expect_uses(counted.places, walk.places(level));
        expect_uses(counted.pointers, walk.pointers(level));
      }
    }
}

// Compares with the counts of one rank with enough memory.
void expect_same_counts(const measure::DagStats& counted, const dag::FrozenDag& dag) {
  const measure::DagStats whole = measure::count_dag(dag);
  EXPECT_EQ(counted.voxels, dag.voxels);
  EXPECT_EQ(counted.material_voxels, whole.material_voxels);
  EXPECT_EQ(counted.octree_masks, whole.octree_masks);
  EXPECT_EQ(counted.filled, whole.filled);
  for (size_t level = 0; level < dag.levels.size(); ++level) {
    EXPECT_EQ(counted.levels[level].svo_nodes, dag.levels[level].svo_nodes);
    EXPECT_EQ(counted.levels[level].unique_nodes, dag.levels[level].nodes);
    EXPECT_EQ(counted.levels[level].words, whole.levels[level].words);
    EXPECT_EQ(counted.levels[level].svo_words, whole.levels[level].svo_words);
    EXPECT_EQ(counted.levels[level].item_sizes, whole.levels[level].item_sizes);
    EXPECT_EQ(counted.levels[level].places.bins, whole.levels[level].places.bins);
    EXPECT_EQ(counted.levels[level].places.most, whole.levels[level].places.most);
    EXPECT_EQ(counted.levels[level].pointers.bins, whole.levels[level].pointers.bins);
    EXPECT_EQ(counted.levels[level].pointers.most, whole.levels[level].pointers.most);
  }
}

TEST(DagStats, CountsPartsOfALevelOneAfterTheOther) {
  const dag::FrozenDag dag = dense_dag(80, true, [](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t value = mix64(x | y << 8 | z << 16) % 19;
    return value < scene::kPaletteSize ? static_cast<int>(value) : dag::kEmptyVoxel;
  });
  ASSERT_GT(dag.levels.back().nodes, 4000u);
  expect_same_counts(measure::count_dag(dag, 0), dag);
}

TEST(DagStats, SeveralRanksCountWhatOneCounts) {
  const dag::FrozenDag dag = dense_dag(80, true, [](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t value = mix64(x | y << 8 | z << 16) % 19;
    return value < scene::kPaletteSize ? static_cast<int>(value) : dag::kEmptyVoxel;
  });
  for (const uint32_t count : {2, 3, 5})
    for (const uint64_t memory : {UINT64_MAX, uint64_t{0}})
      ranks::run_thread_ranks(count, [&](ranks::Ranks& ranks) {
        const measure::DagStats counted = measure::count_dag(dag, memory, ranks);
        if (ranks.rank() == 0) expect_same_counts(counted, dag);
      });
}

TEST(DagStats, CountsItemsByTheirSize) {
  const dag::FrozenDag dag = dense_dag(37, true, shell);
  const measure::DagStats stats = measure::count_dag(dag);
  const OctreeWalk walk(dag);
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    hash::SizeCounts sizes = {};
    uint64_t svo_words = 0;
    for (const auto& [number, places] : walk.places(level)) {
      const uint32_t* item = dag.levels[level].node(number);
      const uint32_t words =
          level == dag.depth() ? dag::leaf_words(dag::leaf_mask(item), true) : dag::node_words(item[0]);
      ++sizes[words];
      svo_words += places * words;
    }
    EXPECT_EQ(stats.levels[level].item_sizes, sizes);
    EXPECT_EQ(stats.levels[level].svo_words, svo_words);
  }
  const measure::LevelStats all = stats.all_levels();
  EXPECT_EQ(all.unique_nodes, dag.unique_nodes());
  EXPECT_EQ(all.svo_nodes, dag.svo_nodes());
}

TEST(DagStats, CountsVoxelsAndTheirBoxAsTheDenseGridHasThem) {
  for (const DenseGrid& grid : all_grids())
    for (const uint32_t resolution : {4u, 5u, 37u, 64u})
      for (const bool materials : {false, true}) {
        std::array<uint64_t, scene::kPaletteSize> voxels = {};
        VoxelBox box = {};
        for (uint32_t z = 0; z < resolution; ++z)
          for (uint32_t y = 0; y < resolution; ++y)
            for (uint32_t x = 0; x < resolution; ++x) {
              const int value = grid(x, y, z);
              if (value == dag::kEmptyVoxel) continue;
              ++voxels[materials ? static_cast<size_t>(value) : 0];
              const VoxelBox voxel =
                  cube_at({static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)}, 1);
              box = box.empty() ? voxel : hull(box, voxel);
            }
        const dag::FrozenDag dag = dense_dag(resolution, materials, grid);
        const measure::DagStats stats = measure::count_dag(dag);
        EXPECT_EQ(stats.voxels, dag.voxels);
        EXPECT_EQ(stats.material_voxels, voxels);
        EXPECT_EQ(stats.filled, box);
      }
}

TEST(DagStats, TheBoxOfSingleVoxelsIsThatVoxel) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const uint32_t x = random.below(50), y = random.below(50), z = random.below(50);
    const dag::FrozenDag dag = dense_dag(50, false, [&](uint32_t a, uint32_t b, uint32_t c) {
      return a == x && b == y && c == z ? 0 : dag::kEmptyVoxel;
    });
    EXPECT_EQ(dag::filled_box(dag),
              cube_at({static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)}, 1));
  }
}

// The scene has 2^60 voxels in 8^18 leaves.
TEST(DagStats, CountsOfTheLargestSceneFit) {
  dag::FrozenDag dag = dag::empty_dag(1u << 20, false);
  dag.levels[18].words = {UINT32_MAX, UINT32_MAX};
  for (uint32_t level = 0; level < 18; ++level) {
    dag.levels[level].words = {dag::homogeneous_header(0)};
    dag.levels[level].words.resize(9, 0);
  }
  dag::place_nodes(dag);
  const measure::DagStats stats = measure::count_dag(dag);
  EXPECT_EQ(stats.voxels, uint64_t{1} << 60);
  EXPECT_EQ(stats.levels[18].places.most, uint64_t{1} << 54);
  EXPECT_EQ(stats.levels[18].places.bins[54], 1u);
  EXPECT_EQ(stats.levels[18].pointers.most, 8u);
  EXPECT_EQ(stats.filled, cube_at({0, 0, 0}, 1u << 20));
  const std::vector<measure::SceneSize> sizes = measure::scene_sizes(dag, stats, std::nullopt);
  EXPECT_EQ(sizes[0].bytes, uint64_t{1} << 57);
}

TEST(DagStats, AnEmptyLeafOfABrokenFileIsReported) {
  dag::FrozenDag dag = dag::empty_dag(4, false);
  dag.levels[0].words = {0, 0};
  dag::place_nodes(dag);
  EXPECT_THROW(measure::count_dag(dag), Error);
}

TEST(DagStats, CountsOfTheFileThatAreNotThoseOfItsNodesAreRefused) {
  const dag::FrozenDag dag = dense_dag(37, true, shell);
  const measure::DagStats counted = measure::count_dag(dag);
  EXPECT_NO_THROW(measure::check_counts(counted, dag));
  dag::FrozenDag bad = dag;
  ++bad.voxels;
  EXPECT_THROW(measure::check_counts(counted, bad), Error);
  for (size_t level = 0; level < dag.levels.size(); ++level)
    for (uint64_t dag::DagLevel::*count : {&dag::DagLevel::nodes, &dag::DagLevel::svo_nodes}) {
      bad = dag;
      --(bad.levels[level].*count);
      EXPECT_THROW(measure::check_counts(counted, bad), Error) << level;
    }
}

uint64_t bytes_of(const std::vector<measure::SceneSize>& sizes, const std::string& name) {
  const auto at =
      std::find_if(sizes.begin(), sizes.end(), [&](const auto& size) { return size.name == name; });
  return at == sizes.end() ? UINT64_MAX : at->bytes;
}

// In a cube of 8³ voxels of one material, the root points to a single leaf eight times.
TEST(SceneSizes, OfASmallSolidCubeAreThoseCountedByHand) {
  const dag::FrozenDag dag = dense_dag(8, true, everywhere);
  const std::vector<measure::SceneSize> sizes =
      measure::scene_sizes(dag, measure::count_dag(dag), measure::count_dag(dense_dag(8, false, everywhere)));
  EXPECT_EQ(bytes_of(sizes, "dense_occupancy"), 512u / 8);
  EXPECT_EQ(bytes_of(sizes, "dense_materials"), 512u / 2);
  EXPECT_EQ(bytes_of(sizes, "pointerless_octree"), 1u + 8 + 64 + 512 / 2);
  EXPECT_EQ(bytes_of(sizes, "pointer_octree"), 4u * (9 + 8 * 10));
  EXPECT_EQ(bytes_of(sizes, "svdag"), 4u * (9 + 10));
  EXPECT_EQ(bytes_of(sizes, "pointer_octree_geometry"), 4u * (9 + 8 * 2));
  EXPECT_EQ(bytes_of(sizes, "svdag_geometry"), 4u * (9 + 2));
  EXPECT_EQ(measure::bits_per_voxel(sizes[0], 512), 1.0);
}

TEST(SceneSizes, ADenseGridTakesAByteAVoxelWhereSixteenMaterialsOccur) {
  for (const int materials : {15, 16}) {
    const dag::FrozenDag dag = dense_dag(5, true, [&](uint32_t x, uint32_t y, uint32_t z) {
      return static_cast<int>(x + 5 * y + 25 * z) % materials;
    });
    const uint64_t bytes =
        bytes_of(measure::scene_sizes(dag, measure::count_dag(dag), std::nullopt), "dense_materials");
    EXPECT_EQ(bytes, materials == 15 ? 63u : 125u);
  }
}

TEST(SceneSizes, SaysNothingOfMaterialsWhereThereAreNone) {
  const dag::FrozenDag dag = dense_dag(5, false, everywhere);
  const std::vector<measure::SceneSize> sizes =
      measure::scene_sizes(dag, measure::count_dag(dag), std::nullopt);
  EXPECT_EQ(bytes_of(sizes, "dense_materials"), UINT64_MAX);
  EXPECT_EQ(bytes_of(sizes, "pointer_octree_geometry"), UINT64_MAX);
  EXPECT_EQ(bytes_of(sizes, "svdag_geometry"), UINT64_MAX);
  EXPECT_EQ(bytes_of(sizes, "dense_occupancy"), 16u);
  const dag::FrozenDag nothing = dag::empty_dag(64, false);
  for (const measure::SceneSize& size :
       measure::scene_sizes(nothing, measure::count_dag(nothing), std::nullopt))
    EXPECT_EQ(measure::bits_per_voxel(size, 0), 0);
}

using testing_bricks::constant_volume;
using testing_bricks::mixed_volume;

measure::BricksStats stats_of(const volume::Volume& volume, Engine& engine) {
  return measure::measure_bricks(
      bricks::build_bricks(engine.handle(), volume, {.log2_side = 3, .threshold = {}}).bricks, engine);
}

TEST(BricksStats, SayOfEverySizeAndSetOfTypesWhatBuildingThemGives) {
  const auto engine = test_engine();
  const volume::Volume volume = mixed_volume({40, 33, 21}, volume::ValueType::U16, 1);
  const measure::BricksStats stats = stats_of(volume, *engine);
  ASSERT_EQ(stats.rows.size(), bricks::kBrickTypeSets.size());
  for (size_t row = 0; row < stats.rows.size(); ++row) {
    const bricks::BrickTypeSet& set = bricks::kBrickTypeSets[row];
    EXPECT_EQ(stats.rows[row].name, set.title);
    ASSERT_EQ(stats.rows[row].sizes.size(), 5u);
    for (uint32_t log2_side = 2; log2_side <= 6; ++log2_side) {
      const bricks::BrickTotals& totals = stats.rows[row].sizes[log2_side - 2];
      const bricks::FrozenBricks built =
          bricks::build_bricks(engine->handle(), volume,
                               {.log2_side = log2_side, .types = set.types, .threshold = {}})
              .bricks;
      EXPECT_EQ(totals.log2_side, log2_side);
      EXPECT_EQ(totals.total_bytes(), built.bytes()) << set.name << " " << log2_side;
      EXPECT_EQ(totals.counts, built.counts) << set.name << " " << log2_side;
    }
  }
  EXPECT_EQ(&stats.all_types(), &stats.rows.back().sizes);
  EXPECT_EQ(bricks::kBrickTypeSets.back().types, bricks::kAllBrickTypes);
}

TEST(BricksStats, CompareTheBricksWithTheirFilledVoxelsAndTheDenseVolume) {
  const auto engine = test_engine();
  const volume::Volume volume = mixed_volume({40, 33, 21}, volume::ValueType::U16, 2);
  const measure::BricksStats stats = stats_of(volume, *engine);
  const std::vector<std::byte> values = all_values(volume);
  double voxels = 0, filled = 0;
  for (size_t i = 0; i < values.size(); i += 2) {
    ++voxels;
    filled += values[i] != std::byte{0} || values[i + 1] != std::byte{0} ? 1 : 0;
  }
  const auto bytes = static_cast<double>(stats.bricks.bytes());
  EXPECT_EQ(stats.filled_share(), filled / voxels);
  EXPECT_EQ(stats.dense_share(), bytes / (2 * voxels));
  EXPECT_NEAR(stats.overhead_bits(), 8 * bytes / filled - 16, 1e-9);
  for (const bricks::BrickTotals& totals : stats.all_types())
    for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
      EXPECT_EQ(measure::share_of(type, totals), static_cast<double>(totals.voxels[type]) / voxels);
}

TEST(BricksStats, CompareTheBricksWithTheSvdagWhereThereIsOne) {
  const auto engine = test_engine();
  measure::BricksStats stats = stats_of(mixed_volume({40, 33, 21}, volume::ValueType::U8, 3), *engine);
  ASSERT_EQ(stats.forms().size(), 1u);
  EXPECT_EQ(stats.forms()[0].name, "bricks");
  EXPECT_EQ(stats.forms()[0].text, "bricks of 8³");
  EXPECT_EQ(stats.forms()[0].bytes, stats.bricks.bytes());
  EXPECT_EQ(stats.to_svdag(stats.forms()[0]), 0);
  stats.svdag_bytes = 2 * stats.bricks.bytes();
  ASSERT_EQ(stats.forms().size(), 2u);
  EXPECT_EQ(stats.forms()[1].name, "svdag");
  EXPECT_EQ(stats.to_svdag(stats.forms()[0]), 0.5);
  EXPECT_EQ(stats.to_svdag(stats.forms()[1]), 1);
  stats.hash_bytes = 3 * *stats.svdag_bytes;
  ASSERT_EQ(stats.forms().size(), 3u);
  EXPECT_EQ(stats.forms()[2].name, "hash");
  EXPECT_EQ(stats.to_svdag(stats.forms()[2]), 3);
}

TEST(BricksStats, OfAVolumeWithoutFilledVoxelsDivideByNothing) {
  const auto engine = test_engine();
  const measure::BricksStats stats = stats_of(constant_volume({9, 8, 7}, volume::ValueType::F32, 0), *engine);
  EXPECT_EQ(stats.filled_share(), 0);
  EXPECT_EQ(stats.overhead_bits(), 0);
  for (const bricks::BrickTotals& totals : stats.all_types()) {
    EXPECT_EQ(measure::share_of(bricks::BrickTypes::kNumber<bricks::EmptyBrick>, totals), 1);
    EXPECT_EQ(measure::share_of(bricks::BrickTypes::kNumber<bricks::DenseBrick>, totals), 0);
  }
}

// Compares the voxels that two scenes both fill with a loop over all voxels.

using MaterialVoxels = std::array<uint64_t, scene::kPaletteSize>;

// Two scenes as functions of the voxel, and their common voxels, counted one by one.
struct DenseOverlap {
  DenseGrid first, second;
  bool materials_of_first, materials_of_second;

  uint64_t voxels = 0, only_first = 0, only_second = 0;
  MaterialVoxels by_first = {}, by_second = {};
  VoxelBox box = {};

  void count(uint32_t side) {
    for (uint32_t z = 0; z < side; ++z)
      for (uint32_t y = 0; y < side; ++y)
        for (uint32_t x = 0; x < side; ++x) add({int32_t(x), int32_t(y), int32_t(z)});
  }
  // Returns the scene of the voxels that both fill.
  dag::FrozenDag both(uint32_t side) const {
    return dense_dag(side, materials_of_first, [&](uint32_t x, uint32_t y, uint32_t z) {
      return second(x, y, z) == dag::kEmptyVoxel ? dag::kEmptyVoxel : first(x, y, z);
    });
  }

 private:
  void add(Int3 v) {
    const auto at = [&](const DenseGrid& grid) {
      return grid(static_cast<uint32_t>(v.x), static_cast<uint32_t>(v.y), static_cast<uint32_t>(v.z));
    };
    const int a = at(first), b = at(second);
    only_first += a != dag::kEmptyVoxel && b == dag::kEmptyVoxel;
    only_second += b != dag::kEmptyVoxel && a == dag::kEmptyVoxel;
    if (a == dag::kEmptyVoxel || b == dag::kEmptyVoxel) return;
    const VoxelBox here = cube_at(v, 1);
    box = voxels++ == 0 ? here : hull(box, here);
    ++by_first[materials_of_first ? static_cast<size_t>(a) : 0];
    ++by_second[static_cast<size_t>(b)];
  }
};

void expect_overlap(uint32_t resolution, DenseOverlap expected) {
  expected.count(resolution);
  const dag::FrozenDag first = dense_dag(resolution, expected.materials_of_first, expected.first);
  const dag::FrozenDag second = dense_dag(resolution, expected.materials_of_second, expected.second);
  const measure::SceneOverlap overlap = measure::overlap_of(*test_engine(), first, second);
  expect_equal(overlap.both, expected.both(resolution));
  EXPECT_EQ(overlap.both_of_first.voxels, expected.voxels);
  EXPECT_EQ(overlap.only_first(), expected.only_first);
  EXPECT_EQ(overlap.only_second(), expected.only_second);
  EXPECT_EQ(overlap.both_of_first.filled, expected.box);
  EXPECT_EQ(overlap.both_of_first.material_voxels, expected.by_first);
  ASSERT_EQ(overlap.both_of_second.has_value(), expected.materials_of_second);
  if (overlap.both_of_second) {
    EXPECT_EQ(overlap.both_of_second->material_voxels, expected.by_second);
  }
}

// Returns the grid at another place and with other materials.
DenseGrid moved(const DenseGrid& grid) {
  return [&grid](uint32_t x, uint32_t y, uint32_t z) {
    const int material = grid(x + 3, y + 5, z);
    return material == dag::kEmptyVoxel ? material : (material + 5) % 16;
  };
}

TEST(SceneOverlap, IsWhatALoopOverAllVoxelsCounts) {
  const std::vector<DenseGrid> grids = all_grids();
  for (size_t i = 0; i < grids.size(); ++i)
    for (const bool with_first : {false, true})
      for (const bool with_second : {false, true}) {
        SCOPED_TRACE(testing::Message() << "grid " << i << ", materials " << with_first << with_second);
        const DenseGrid& other = grids[(i + 1) % grids.size()];
        expect_overlap(i % 2 == 0 ? 21 : 32, {grids[i], moved(other), with_first, with_second});
      }
}

TEST(SceneOverlap, OfASceneWithItselfIsTheScene) {
  expect_overlap(40, {shell, shell, true, true});
  expect_overlap(5, {everywhere, everywhere, false, false});
}

TEST(SceneOverlap, OfScenesApartOrEmptyOnesIsNothing) {
  const DenseGrid left = [](uint32_t x, uint32_t, uint32_t) { return x < 7 ? 1 : dag::kEmptyVoxel; };
  const DenseGrid right = [](uint32_t x, uint32_t, uint32_t) { return x < 7 ? dag::kEmptyVoxel : 2; };
  for (const bool materials : {false, true}) {
    expect_overlap(16, {left, right, materials, materials});
    expect_overlap(16, {nowhere, right, materials, true});
    expect_overlap(16, {left, nowhere, true, materials});
    expect_overlap(16, {nowhere, nowhere, materials, !materials});
  }
}

TEST(SceneOverlap, RefusesScenesOfTwoResolutions) {
  EXPECT_THROW(measure::overlap_of(*test_engine(), dag::empty_dag(16, true), dag::empty_dag(17, true)),
               Error);
}

}  // namespace
}  // namespace vox
