#include "libvox/measure/dag_stats.h"

#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "libvox/base/error.h"
#include "libvox/dag/each_node.h"
#include "libvox/dag/filled_box.h"
#include "libvox/dag/node.h"

namespace vox::measure {
namespace {

// The number of uses of each node of a level.
struct Uses {
  std::vector<uint64_t> pointers;
  std::vector<uint64_t> places;
};

Uses uses_below(const dag::FrozenDag& dag, uint32_t level, const Uses& here) {
  const uint64_t below = dag.levels[level + 1].places.nodes();
  Uses uses = {std::vector<uint64_t>(below), std::vector<uint64_t>(below)};
  dag::parallel_for_each(dag.levels[level], [&](uint64_t number, const uint32_t* node) {
    for (uint32_t i = 1; i < dag::node_words(node[0]); ++i) {
      std::atomic_ref(uses.pointers[node[i]]).fetch_add(1, std::memory_order_relaxed);
      std::atomic_ref(uses.places[node[i]]).fetch_add(here.places[number], std::memory_order_relaxed);
    }
  });
  return uses;
}

LevelStats level_stats(const dag::DagLevel& level, const Uses& uses) {
  const auto count = [&](const dag::NodeNumbers& range, LevelStats stats) {
    for (uint64_t number = range.begin(); number < range.end(); ++number) {
      const uint64_t size = level.places[number + 1] - level.places[number], places = uses.places[number];
      stats.svo_nodes += places;
      stats.unique_nodes += 1;
      stats.words += size;
      stats.svo_words += places * size;
      stats.item_sizes[size] += 1;
      stats.pointers.add(uses.pointers[number]);
      stats.places.add(places);
    }
    return stats;
  };
  return tbb::parallel_reduce(dag::node_numbers(level), LevelStats(), count,
                              [](LevelStats a, const LevelStats& b) { return a += b; });
}

// Sums over leaves: voxels by material, and non-empty cubes of 2³ voxels.
struct LeafSums {
  std::array<uint64_t, scene::kPaletteSize> materials = {};
  uint64_t blocks = 0;

  LeafSums& operator+=(const LeafSums& other) {
    for (size_t i = 0; i < materials.size(); ++i) materials[i] += other.materials[i];
    blocks += other.blocks;
    return *this;
  }
};

LeafSums leaf_sums(const dag::FrozenDag& dag, const Uses& uses) {
  const auto count = [&](const dag::NodeNumbers& range, LeafSums sums) {
    dag::for_each_in(dag.levels.back(), range, [&](uint64_t number, const uint32_t* leaf) {
      const uint64_t mask = dag::leaf_mask(leaf), places = uses.places[number];
      const auto voxels = static_cast<uint32_t>(popcount(mask));
      sums.blocks += places * static_cast<uint64_t>(popcount(dag::filled_blocks(mask)));
      if (!dag.materials) {
        sums.materials[0] += places * voxels;
      } else {
        const uint32_t* materials = dag::leaf_materials(leaf);
        for (uint32_t rank = 0; rank < voxels; ++rank)
          sums.materials[dag::ranked_material(materials, rank)] += places;
      }
    });
    return sums;
  };
  return tbb::parallel_reduce(dag::node_numbers(dag.levels.back()), LeafSums(), count,
                              [](LeafSums a, const LeafSums& b) { return a += b; });
}

}  // namespace

void UseCounts::add(uint64_t uses) {
  most = std::max(most, uses);
  // A node without uses, which only a damaged file has, is in no bin.
  if (uses > 0) ++bins[static_cast<size_t>(std::bit_width(uses)) - 1];
}

UseCounts& UseCounts::operator+=(const UseCounts& other) {
  most = std::max(most, other.most);
  for (size_t i = 0; i < bins.size(); ++i) bins[i] += other.bins[i];
  return *this;
}

LevelStats& LevelStats::operator+=(const LevelStats& other) {
  svo_nodes += other.svo_nodes;
  unique_nodes += other.unique_nodes;
  words += other.words;
  svo_words += other.svo_words;
  for (size_t i = 0; i < item_sizes.size(); ++i) item_sizes[i] += other.item_sizes[i];
  pointers += other.pointers;
  places += other.places;
  return *this;
}

LevelStats DagStats::all_levels() const {
  LevelStats sum;
  for (const LevelStats& level : levels) sum += level;
  return sum;
}

DagStats count_dag(const dag::FrozenDag& dag) {
  DagStats stats;
  stats.levels.resize(dag.levels.size());
  if (dag.empty()) return stats;
  Uses uses = {{1}, {1}};  // the root is used once
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    stats.levels[level] = level_stats(dag.levels[level], uses);
    stats.octree_masks += stats.levels[level].svo_nodes;
    uses = uses_below(dag, level, uses);
  }
  stats.levels.back() = level_stats(dag.levels.back(), uses);
  const LeafSums leaves = leaf_sums(dag, uses);
  stats.octree_masks += stats.levels.back().svo_nodes + leaves.blocks;
  stats.material_voxels = leaves.materials;
  for (const uint64_t voxels : leaves.materials) stats.voxels += voxels;
  stats.filled = dag::filled_box(dag);
  return stats;
}

void check_counts(const DagStats& counted, const dag::FrozenDag& dag) {
  bool same = counted.voxels == dag.voxels;
  for (size_t level = 0; level < dag.levels.size(); ++level)
    same = same && counted.levels[level].unique_nodes == dag.levels[level].nodes &&
           counted.levels[level].svo_nodes == dag.levels[level].svo_nodes;
  if (!same)
    throw Error("the counts stored in the file differ from those of its nodes")
        .hint("a verification of the file says more");
}

}  // namespace vox::measure
