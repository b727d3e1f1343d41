#include "libvox/dag/symmetric_dag.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/hash/batch.h"

namespace vox::dag {

uint64_t SymmetricDag::nodes() const {
  return std::accumulate(levels.begin(), levels.end(), uint64_t{0},
                         [](uint64_t sum, const SymmetricLevel& level) { return sum + level.nodes; });
}

uint64_t SymmetricDag::bytes() const {
  return std::accumulate(
      levels.begin(), levels.end(), uint64_t{0},
      [](uint64_t sum, const SymmetricLevel& level) { return sum + level.words.size() * sizeof(uint32_t); });
}

namespace {

static_assert(kSymmetricHeaderWords + 8 <= hash::kMaxItemWords, "PlacesBlock::steps are for so many words");

constexpr uint32_t kUnusedBits = 0xfe000000;  // of word 1

[[noreturn]] void fail_at(uint32_t level, uint64_t word, const std::string& problem) {
  throw Error(problem).at(level_place(level, word));
}

// Finds the places of a level's nodes one by one, because a node's size is in its header.
NodePlaces places_of_nodes(const SymmetricLevel& level, uint32_t number, bool leaves) {
  PlacesBlocks blocks(NodePlaces::blocks_for(level.nodes));
  uint64_t at = 0;
  for (uint64_t node = 0; node < level.nodes; ++node) {
    put_place(blocks, node, at);
    const uint64_t left = level.words.size() - at;
    const uint64_t size = leaves                         ? 2
                          : left < kSymmetricHeaderWords ? left + 1
                                                         : symmetric_words(level.words[at]);
    if (size > left) fail_at(number, at, "a node reaches beyond the end of its level");
    at += size;
  }
  put_place(blocks, level.nodes, at);
  if (at != level.words.size())
    throw Error(fmt::format("level {} has {} words behind its {} nodes", number, level.words.size() - at,
                            level.nodes));
  return {std::move(blocks), level.nodes};
}

// True if all voxels of a child are filled.
bool is_full_child(const SymmetricLevel& level, uint64_t child, bool leaf) {
  const uint32_t* const words = level.node(child);
  return leaf ? leaf_mask(words) == ~uint64_t{0} : symmetric_is_full(words);
}

void check_node(const SymmetricDag& dag, uint32_t level, uint64_t number) {
  const SymmetricLevel& here = dag.levels[level];
  const uint64_t at = here.places[number];
  const uint32_t* const node = here.words.data() + at;
  if (level == dag.depth()) {
    if (leaf_mask(node) == 0) fail_at(level, at, "a leaf has no voxels");
    return;
  }
  const uint32_t mask = child_mask(node[0]);
  if (mask == 0) fail_at(level, at, "a node has no children");
  if ((node[1] & kUnusedBits) != 0) fail_at(level, at + 1, "bits are set that have no meaning");
  const SymmetricLevel& below = dag.levels[level + 1];
  bool full = mask == 0xff;
  for (uint32_t octant = 0; octant < 8; ++octant) {
    const uint32_t turn = symmetric_turn(node, octant);
    if ((mask >> octant & 1) == 0) {
      if (turn != 0)
        fail_at(level, at, fmt::format("there is a symmetry, but no child in octant {}", octant));
      continue;
    }
    if (turn >= kSymmetries)
      fail_at(level, at, fmt::format("a child has the symmetry {}, but a cube has {}", turn, kSymmetries));
    const uint32_t word = symmetric_child_word(node[0], octant), child = node[word];
    if (child >= below.nodes)
      fail_at(level, at + word,
              fmt::format("points to node {}, but the next level has {}", child, below.nodes));
    full = full && is_full_child(below, child, level + 1 == dag.depth());
  }
  if (full != symmetric_is_full(node))
    fail_at(level, at + 1,
            full ? "a full node is not marked as one" : "a node is not full, but marked as full");
}

}  // namespace

void place_nodes(SymmetricDag& dag) {
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    SymmetricLevel& here = dag.levels[level];
    if (here.nodes > kMostNodes) throw Error(fmt::format("level {} has {} nodes", level, here.nodes));
    if (here.nodes > here.words.size())
      throw Error(fmt::format("level {} has {} nodes in {} words", level, here.nodes, here.words.size()));
    here.places = places_of_nodes(here, level, level == dag.depth());
  }
  if (dag.levels[0].nodes > 1) throw Error(fmt::format("there are {} roots", dag.levels[0].nodes));
  // Levels are checked from the leaves up, because a node is full if its children are.
  for (uint32_t level = dag.depth() + 1; level-- > 0;) {
    throw_if_cancelled();
    parallel_for(uint64_t{0}, dag.levels[level].nodes,
                 [&](uint64_t number) { check_node(dag, level, number); });
  }
}

std::vector<VoxelNumbers::Level> voxels_of_children(const SymmetricDag& dag) {
  std::vector<VoxelNumbers::Level> levels(dag.depth());
  std::vector<uint64_t> below(dag.levels.back().nodes), here;
  for (size_t number = 0; number < below.size(); ++number)
    below[number] = static_cast<uint64_t>(popcount(leaf_mask(dag.levels.back().node(number))));
  for (uint32_t level = dag.depth(); level-- > 0;) {
    const SymmetricLevel& nodes = dag.levels[level];
    VoxelNumbers::Level& to = levels[level];
    to.low.resize(nodes.words.size());
    to.high.resize(nodes.words.size());
    here.assign(nodes.nodes, 0);
    parallel_for(uint64_t{0}, nodes.nodes, [&](uint64_t number) {
      const uint64_t first = nodes.places[number], end = nodes.places[number + 1];
      const auto put = [&](uint64_t word, uint64_t voxels) {
        to.low[word] = static_cast<uint32_t>(voxels);
        to.high[word] = static_cast<uint32_t>(voxels >> 32);
      };
      for (uint64_t word = first + kSymmetricHeaderWords; word < end; ++word) {
        put(word, below[nodes.words[word]]);
        here[number] += below[nodes.words[word]];
      }
      put(first, here[number]);
      put(first + 1, 0);
    });
    if (std::ranges::all_of(here, [](uint64_t voxels) { return voxels >> 32 == 0; })) to.high = {};
    std::swap(below, here);
  }
  return levels;
}

void check_same_nodes(device::DeviceHandle device, const SymmetricDag& dag, const FrozenDag& plain) {
  const SymmetricDag expected = symmetric_dag(device, plain);
  if (dag.resolution != plain.resolution || dag.digest != plain.digest || dag.voxels != plain.voxels)
    throw Error("the symmetric form is that of another scene");
  for (uint32_t level = 0; level <= dag.depth(); ++level)
    if (dag.levels[level].words != expected.levels[level].words ||
        dag.levels[level].svo_nodes != expected.levels[level].svo_nodes)
      throw Error(fmt::format("level {} of the symmetric form is not that of the scene", level));
}

}  // namespace vox::dag
