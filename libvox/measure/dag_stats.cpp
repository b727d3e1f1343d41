#include "libvox/measure/dag_stats.h"

#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "libvox/base/error.h"
#include "libvox/base/phrase.h"
#include "libvox/dag/filled_box.h"
#include "libvox/dag/level_nodes.h"
#include "libvox/dag/node.h"

namespace vox::measure {
namespace {

// How often each node of a level is used. A level has less than 2^32 pointers.
struct Uses {
  std::vector<uint32_t> pointers;
  std::vector<uint64_t> places;
};

Uses uses_below(const dag::FrozenDag& dag, const std::vector<dag::LevelNodes>& nodes, uint32_t level,
                const Uses& here) {
  const dag::LevelNodes& below = nodes[level + 1];
  Uses uses = {std::vector<uint32_t>(below.count()), std::vector<uint64_t>(below.count())};
  nodes[level].parallel_for_each([&](uint64_t index, uint32_t offset) {
    const uint32_t* node = &dag.levels[level].words[offset];
    for (uint32_t i = 1; i < dag::node_words(node[0]); ++i) {
      const uint64_t child = below.index_of(node[i]);
      std::atomic_ref(uses.pointers[child]).fetch_add(1, std::memory_order_relaxed);
      std::atomic_ref(uses.places[child]).fetch_add(here.places[index], std::memory_order_relaxed);
    }
  });
  return uses;
}

LevelStats level_stats(const dag::FrozenDag& dag, const dag::LevelNodes& nodes, uint32_t level,
                       const Uses& uses) {
  const Words& words = dag.levels[level].words;
  const auto count = [&](const dag::LevelNodes::Blocks& range, LevelStats stats) {
    nodes.for_each_in(range, [&](uint64_t index, uint32_t offset) {
      const uint32_t size = level == dag.depth()
                                ? dag::leaf_words(dag::leaf_mask(&words[offset]), dag.materials)
                                : dag::node_words(words[offset]);
      const uint64_t places = uses.places[index];
      stats.svo_nodes += places;
      stats.unique_nodes += 1;
      stats.words += size;
      stats.svo_words += places * size;
      stats.item_sizes[size] += 1;
      stats.pointers.add(uses.pointers[index]);
      stats.places.add(places);
    });
    return stats;
  };
  return tbb::parallel_reduce(nodes.blocks(), LevelStats(), count,
                              [](LevelStats a, const LevelStats& b) { return a += b; });
}

// Sums over leaves: voxels by material, and cubes of 2³ voxels that are not empty.
struct LeafSums {
  std::array<uint64_t, scene::kPaletteSize> materials = {};
  uint64_t blocks = 0;

  LeafSums& operator+=(const LeafSums& other) {
    for (size_t i = 0; i < materials.size(); ++i) materials[i] += other.materials[i];
    blocks += other.blocks;
    return *this;
  }
};

LeafSums leaf_sums(const dag::FrozenDag& dag, const dag::LevelNodes& leaves, const Uses& uses) {
  const Words& words = dag.levels.back().words;
  const auto count = [&](const dag::LevelNodes::Blocks& range, LeafSums sums) {
    leaves.for_each_in(range, [&](uint64_t index, uint32_t offset) {
      const uint32_t* leaf = &words[offset];
      const uint64_t mask = dag::leaf_mask(leaf), places = uses.places[index];
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
  return tbb::parallel_reduce(leaves.blocks(), LeafSums(), count,
                              [](LeafSums a, const LeafSums& b) { return a += b; });
}

}  // namespace

void UseCounts::add(uint64_t uses) {
  most = std::max(most, uses);
  // A node that nothing uses, as only a damaged file has, is in no bin.
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
  const std::vector<dag::LevelNodes> nodes = dag::check_structure(dag);
  Uses uses = {{1}, {1}};  // the root is used once
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    stats.levels[level] = level_stats(dag, nodes[level], level, uses);
    stats.octree_masks += stats.levels[level].svo_nodes;
    uses = uses_below(dag, nodes, level, uses);
  }
  stats.levels.back() = level_stats(dag, nodes.back(), dag.depth(), uses);
  const LeafSums leaves = leaf_sums(dag, nodes.back(), uses);
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
    throw Error("the counts in the file are not those of its nodes").hint(phrase(Phrase::VerifyFile));
}

}  // namespace vox::measure
