#include "libvox/dag/symmetric_dag.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/verify.h"
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

// Makes the plain DAG of a symmetric one, from the root down. A node of the plain DAG is a stored node and the symmetry by
// which it is turned. Two symmetries make the same node if one becomes the other by a symmetry that leaves the stored node as
// it is; the least of them names the node.

namespace {

// For each stored node of a level, the symmetries that leave it as it is, as a set of 48 bits.
using Unchanged = std::vector<uint64_t>;

Unchanged unchanged_leaves(const SymmetricLevel& leaves) {
  Unchanged sets(leaves.nodes);
  parallel_for(uint64_t{0}, leaves.nodes, [&](uint64_t number) {
    const uint64_t mask = leaf_mask(leaves.node(number));
    for_each_image(mask, kSymmetries, [&](uint32_t symmetry, uint64_t image) {
      if (image == mask) sets[number] |= uint64_t{1} << symmetry;
    });
  });
  return sets;
}

// A node is left as it is if each octant gets a child of the same stored node, and the two children are equal.
bool leaves_unchanged(const uint32_t* node, uint32_t symmetry, const Unchanged& below) {
  const SymmetryTables& tables = kSymmetryTables;
  const uint32_t mask = child_mask(node[0]);
  for (uint32_t octant = 0; octant < 8; ++octant) {
    const uint32_t from = tables.source(symmetry, octant);
    if ((mask >> octant & 1) != (mask >> from & 1)) return false;
    if ((mask >> octant & 1) == 0) continue;
    const uint32_t child = node[symmetric_child_word(node[0], octant)];
    if (node[symmetric_child_word(node[0], from)] != child) return false;
    const uint32_t moved = tables.products[symmetry][symmetric_turn(node, from)];
    const uint32_t between = tables.products[tables.inverses[symmetric_turn(node, octant)]][moved];
    if ((below[child] >> between & 1) == 0) return false;
  }
  return true;
}

Unchanged unchanged_nodes(const SymmetricLevel& level, const Unchanged& below) {
  Unchanged sets(level.nodes);
  parallel_for(uint64_t{0}, level.nodes, [&](uint64_t number) {
    const uint32_t* const node = level.node(number);
    for (uint32_t symmetry = 0; symmetry < kSymmetries; ++symmetry)
      if (leaves_unchanged(node, symmetry, below)) sets[number] |= uint64_t{1} << symmetry;
  });
  return sets;
}

// A node of the plain DAG: 64 · its stored node + the least symmetry that makes it.
using TurnedNode = uint64_t;

TurnedNode turned_node(uint32_t node, uint32_t turn, uint64_t unchanged) {
  uint32_t least = turn;
  for (uint64_t left = unchanged & ~uint64_t{1}; left != 0; left &= left - 1) {
    const uint32_t same = kSymmetryTables.products[turn][lowest_bit(left)];
    if (same < least) least = same;
  }
  return uint64_t{node} << kTurnBits | least;
}

// Numbers nodes in the order in which they are first met. It grows with the nodes and not with what a file states.
class NodeNumbering {
 public:
  explicit NodeNumbering(uint64_t most) : slots_(kLeastSlots, kEmpty), most_(most) {}

  // Throws Error if there are more nodes than the level states.
  uint32_t number_of(TurnedNode node) {
    for (uint64_t at = mix64(node);; ++at) {
      uint32_t& slot = slots_[at & (slots_.size() - 1)];
      if (slot != kEmpty && nodes_[slot] == node) return slot;
      if (slot != kEmpty) continue;
      if (nodes_.size() == most_) throw Error(fmt::format("its nodes become more than {}", most_));
      slot = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back(node);
      if (2 * nodes_.size() > slots_.size()) grow();
      return static_cast<uint32_t>(nodes_.size() - 1);
    }
  }

  std::vector<TurnedNode> take() { return std::move(nodes_); }

 private:
  static constexpr uint32_t kEmpty = UINT32_MAX;
  static_assert(kMostNodes <= kEmpty);
  static constexpr uint64_t kLeastSlots = 64;

  void grow() {
    slots_.assign(2 * slots_.size(), kEmpty);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      uint64_t at = mix64(nodes_[i]);
      while (slots_[at & (slots_.size() - 1)] != kEmpty) ++at;
      slots_[at & (slots_.size() - 1)] = static_cast<uint32_t>(i);
    }
  }

  std::vector<uint32_t> slots_;  // a power of two
  std::vector<TurnedNode> nodes_;
  uint64_t most_;
};

void finish(DagLevel& level, const SymmetricLevel& from, uint32_t number, NodeKind kind) {
  const LevelForm form = {number, kind, false};
  const NodeStarts found = find_starts(level.words, form);
  level.nodes = found.nodes;
  level.svo_nodes = from.svo_nodes;
  level.places = {level.words, form, found.nodes, found.starts};
  if (level.nodes != from.plain_nodes || level.words.size() != from.plain_words)
    throw Error(fmt::format("level {} becomes {} nodes in {} words, but states {} in {}", number, level.nodes,
                            level.words.size(), from.plain_nodes, from.plain_words));
}

// Writes the words of a level's nodes and returns the nodes of the next level.
std::vector<TurnedNode> expand_level(const SymmetricLevel& level, const std::vector<TurnedNode>& nodes,
                                     const Unchanged& below, uint64_t most_below, Words& words) {
  NodeNumbering numbers(most_below);
  for (const TurnedNode turned : nodes) {
    const uint32_t* const node = level.node(turned >> kTurnBits);
    const auto turn = static_cast<uint32_t>(turned & 63);
    const size_t header = words.size();
    words.push_back(0);
    for (uint32_t octant = 0; octant < 8; ++octant) {
      const uint32_t from = kSymmetryTables.source(turn, octant);
      if ((node[0] >> from & 1) == 0) continue;
      words[header] |= 1u << octant;
      const uint32_t child = node[symmetric_child_word(node[0], from)];
      const uint32_t child_turn = kSymmetryTables.products[turn][symmetric_turn(node, from)];
      words.push_back(numbers.number_of(turned_node(child, child_turn, below[child])));
    }
    if (symmetric_is_full(node)) words[header] = homogeneous_header(0);
  }
  return numbers.take();
}

}  // namespace

FrozenDag expanded(const SymmetricDag& dag) {
  FrozenDag plain = empty_dag(dag.resolution, false);
  if (plain.levels.size() != dag.levels.size())
    throw Error(fmt::format("has {} levels, expected {}", dag.levels.size(), plain.levels.size()));
  plain.voxels = dag.voxels;
  plain.digest = dag.digest;
  std::vector<Unchanged> unchanged(dag.levels.size());
  unchanged.back() = unchanged_leaves(dag.levels.back());
  for (uint32_t level = dag.depth(); level-- > 1;)
    unchanged[level] = unchanged_nodes(dag.levels[level], unchanged[level + 1]);
  std::vector<TurnedNode> nodes;
  if (!dag.empty()) nodes.push_back(0);
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    throw_if_cancelled();
    DagLevel& to = plain.levels[level];
    try {
      nodes = expand_level(dag.levels[level], nodes, unchanged[level + 1], dag.levels[level + 1].plain_nodes,
                           to.words);
    } catch (const Error& error) {
      throw Error(error.what()).at(fmt::format("level {}", level + 1));
    }
    unchanged[level + 1] = {};
    finish(to, dag.levels[level], level, NodeKind::Inner);
  }
  DagLevel& leaves = plain.levels.back();
  leaves.words.resize(2 * nodes.size());
  parallel_for(size_t{0}, nodes.size(), [&](size_t i) {
    const uint64_t mask = leaf_mask(dag.levels.back().node(nodes[i] >> kTurnBits));
    write_leaf_mask(leaves.words.data() + 2 * i, turned_voxels(mask, static_cast<uint32_t>(nodes[i] & 63)));
  });
  finish(leaves, dag.levels.back(), dag.depth(), NodeKind::Leaf);
  check_structure(plain);
  return plain;
}

}  // namespace vox::dag
