#include "libvox/measure/dag_stats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "libvox/base/error.h"
#include "libvox/dag/filled_box.h"
#include "libvox/measure/scene_sizes.h"
#include "tests/common/random.h"
#include "tests/dag/grids.h"

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
  EXPECT_EQ(bytes_of(sizes, "svdag_geometry"), UINT64_MAX);
  EXPECT_EQ(bytes_of(sizes, "dense_occupancy"), 16u);
  const dag::FrozenDag nothing = dag::empty_dag(64, false);
  for (const measure::SceneSize& size :
       measure::scene_sizes(nothing, measure::count_dag(nothing), std::nullopt))
    EXPECT_EQ(measure::bits_per_voxel(size, 0), 0);
}

}  // namespace
}  // namespace vox
