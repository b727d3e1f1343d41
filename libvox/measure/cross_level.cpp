// Nodes that equal a coarser view of a node of a level above: how many there are, and the size without them.
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>

#include "libvox/base/bits.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/node.h"
#include "libvox/measure/compression.h"

namespace vox::measure {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

// The words of a node or a leaf without what follows from its children.
struct PlainNode {
  std::array<uint32_t, 9> words;
  uint32_t count = 0;

  void put(uint32_t word) { words[count++] = word; }
  uint64_t hash() const { return hash::hash_words(words.data(), count); }
  friend bool operator==(const PlainNode& a, const PlainNode& b) {
    return std::equal(a.words.begin(), a.words.begin() + a.count, b.words.begin(), b.words.begin() + b.count);
  }
};

PlainNode plain_node(const dag::FrozenDag& dag, uint32_t level, uint64_t number) {
  const uint32_t* const from = dag.levels[level].node(number);
  PlainNode node;
  node.put(level == dag.depth() ? from[0] : dag::child_mask(from[0]));
  const uint32_t words = level == dag.depth() ? 2 : dag::node_words(from[0]);
  for (uint32_t i = 1; i < words; ++i) node.put(from[i]);
  return node;
}

// Finds the number of a node in its level from its words.
class NodeFinder {
 public:
  NodeFinder(const dag::FrozenDag& dag, uint32_t level)
      : dag_(dag), level_(level), entries_(dag.levels[level].nodes) {
    parallel_for(size_t{0}, entries_.size(), [&](size_t number) {
      entries_[number] = {plain_node(dag, level, number).hash(), static_cast<uint32_t>(number)};
    });
    tbb::parallel_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.hash != b.hash ? a.hash < b.hash : a.number < b.number;
    });
  }

  uint32_t find(const PlainNode& node) const {
    const uint64_t hash = node.hash();
    auto at = std::ranges::lower_bound(entries_, hash, {}, &Entry::hash);
    for (; at != entries_.end() && at->hash == hash; ++at)
      if (plain_node(dag_, level_, at->number) == node) return at->number;
    return kNone;
  }

 private:
  struct Entry {
    uint64_t hash;
    uint32_t number;
  };

  const dag::FrozenDag& dag_;
  uint32_t level_;
  std::vector<Entry> entries_;
};

// Returns the leaf that a node is when it is seen so coarsely that the octants of its children are voxels.
PlainNode coarse_leaf(const dag::FrozenDag& dag, uint32_t level, const uint32_t* node) {
  uint64_t mask = 0;
  const uint32_t* pointer = node + 1;
  for (uint32_t octants = dag::child_mask(node[0]); octants != 0; octants &= octants - 1, ++pointer) {
    const uint32_t* const child = dag.levels[level + 1].node(*pointer);
    const uint64_t parts =
        level + 1 == dag.depth() ? dag::filled_blocks(dag::leaf_mask(child)) : dag::child_mask(child[0]);
    mask |= parts << 8 * lowest_bit(octants);
  }
  PlainNode leaf;
  leaf.put(static_cast<uint32_t>(mask));
  leaf.put(static_cast<uint32_t>(mask >> 32));
  return leaf;
}

}  // namespace

CrossLevel cross_level(const dag::FrozenDag& geometry) {
  CrossLevel result;
  result.nodes.resize(geometry.levels.size());
  if (geometry.empty()) return result;
  const uint32_t depth = geometry.depth();
  std::vector<NodeFinder> finders;
  std::vector<std::vector<std::atomic<uint8_t>>> seen;  // 1 for nodes that are seen in a node above
  for (uint32_t level = 0; level <= depth; ++level) {
    throw_if_cancelled();
    finders.emplace_back(geometry, level);
    seen.emplace_back(geometry.levels[level].nodes);
  }
  for (uint32_t coarser = 1; coarser <= depth; ++coarser) {
    // For each node of the level below, the node that it is when it is coarser by so many levels.
    std::vector<uint32_t> below;
    for (uint32_t level = depth - coarser + 1; level-- > 0;) {
      throw_if_cancelled();
      std::vector<uint32_t> here(geometry.levels[level].nodes);
      parallel_for(size_t{0}, here.size(), [&](size_t number) {
        const uint32_t* const from = geometry.levels[level].node(number);
        PlainNode node;
        bool all_known = true;
        if (level + coarser == depth) {
          node = coarse_leaf(geometry, level, from);
        } else {
          node.put(dag::child_mask(from[0]));
          for (uint32_t i = 1; i < dag::node_words(from[0]); ++i) {
            node.put(below[from[i]]);
            all_known = all_known && below[from[i]] != kNone;
          }
        }
        here[number] = all_known ? finders[level + coarser].find(node) : kNone;
        if (here[number] != kNone) seen[level + coarser][here[number]].store(1, std::memory_order_relaxed);
      });
      below = std::move(here);
    }
  }
  for (uint32_t level = 0; level <= depth; ++level)
    for (uint64_t number = 0; number < geometry.levels[level].nodes; ++number) {
      if (seen[level][number].load(std::memory_order_relaxed) != 0) continue;
      ++result.nodes[level];
      result.bytes += sizeof(uint32_t) * plain_node(geometry, level, number).count;
    }
  return result;
}

}  // namespace vox::measure
