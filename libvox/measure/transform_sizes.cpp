// The sizes of a DAG whose pointers name transforms.
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/node.h"
#include "libvox/measure/compression.h"

namespace vox::measure {
namespace {

using TransformKey = std::array<int32_t, 4>;

TransformKey key_of(const MovedChild& child) {
  return {static_cast<int32_t>(child.symmetry), child.move.x, child.move.y, child.move.z};
}

// The different transforms of a level's pointers with how often each occurs, the most frequent first.
std::vector<std::pair<TransformKey, uint64_t>> transforms_of(const TransformLevel& level) {
  std::map<TransformKey, uint64_t> counts;
  for (const MovedChild& child : level.children) ++counts[key_of(child)];
  std::vector<std::pair<TransformKey, uint64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<TransformKey, uint64_t>::second);
  return sorted;
}

constexpr uint64_t kTransformBytes = 8;
constexpr uint32_t kMostTableBits = 12;

// The units of two bytes of each pointer of a level for the size of its table that makes them smallest.
struct EncodedPointers {
  std::vector<uint8_t> units;
  uint64_t bytes = UINT64_MAX;  // with the table
  uint64_t table_bytes = 0;
};

EncodedPointers encoded_pointers(const TransformLevel& level, const std::vector<uint64_t>& places_below) {
  const auto transforms = transforms_of(level);
  std::map<TransformKey, uint64_t> numbers;
  for (const auto& [key, count] : transforms) numbers.emplace(key, numbers.size());
  std::vector<uint64_t> number_of;
  for (const MovedChild& child : level.children) number_of.push_back(numbers[key_of(child)]);
  EncodedPointers best;
  for (uint32_t bits = 0; bits <= kMostTableBits; ++bits) {
    throw_if_cancelled();
    // All numbers are entries if there are as many, else the last one says that the transform follows.
    const uint64_t all = uint64_t{1} << bits,
                   entries = transforms.size() <= all ? transforms.size() : all - 1;
    EncodedPointers tried = {{}, 0, entries * kTransformBytes};
    uint64_t units = 0;
    for (size_t i = 0; i < number_of.size(); ++i) {
      const uint64_t pointer = places_below[level.children[i].node] << bits;
      const uint64_t follows = number_of[i] < entries ? 0 : kTransformBytes / 2;
      tried.units.push_back(static_cast<uint8_t>((pointer >> 16 == 0   ? 1
                                                  : pointer >> 32 == 0 ? 2
                                                                       : 3) +
                                                 follows));
      units += tried.units.back();
    }
    tried.bytes = tried.table_bytes + 2 * units;
    if (tried.bytes < best.bytes) best = std::move(tried);
    if (transforms.size() <= all) break;
  }
  return best;
}

// The places of nodes of these sizes, those with the most references first, then the smallest.
std::vector<uint64_t> places_of(const std::vector<uint64_t>& sizes, const std::vector<uint64_t>& references) {
  std::vector<uint32_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0u);
  tbb::parallel_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (references[a] != references[b]) return references[a] > references[b];
    return sizes[a] != sizes[b] ? sizes[a] < sizes[b] : a < b;
  });
  std::vector<uint64_t> places(sizes.size());
  uint64_t place = 0;
  for (const uint32_t node : order) {
    places[node] = place;
    place += sizes[node];
  }
  return places;
}

}  // namespace

uint64_t huffman_bits(std::span<const uint64_t> counts) {
  std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> left(std::greater<>(),
                                                                            {counts.begin(), counts.end()});
  uint64_t bits = 0;
  while (left.size() > 1) {
    uint64_t both = left.top();
    left.pop();
    both += left.top();
    left.pop();
    left.push(both);
    bits += both;  // each symbol below gets one bit more
  }
  return bits;
}

uint64_t TransformDag::nodes() const {
  uint64_t sum = 0;
  for (const TransformLevel& level : levels) sum += level.masks.size();
  return sum;
}

uint64_t TransformDag::table_bytes() const {
  uint64_t bytes = 0;
  std::vector<uint64_t> places;
  for (size_t level = levels.size(); level-- > 0;) {
    const TransformLevel& here = levels[level];
    std::vector<uint64_t> sizes(here.masks.size(), 1), references(here.masks.size(), 1);
    if (level + 1 == levels.size()) {
      bytes += 8 * sizes.size();
    } else {
      const EncodedPointers pointers = encoded_pointers(here, places);
      size_t next = 0;
      for (size_t node = 0; node < sizes.size(); ++node)
        for (uint64_t octants = here.masks[node]; octants != 0; octants &= octants - 1)
          sizes[node] += pointers.units[next++];
      bytes += 2 * std::accumulate(sizes.begin(), sizes.end(), uint64_t{0}) + pointers.table_bytes;
    }
    if (level > 0) {
      std::ranges::fill(references, 0);
      for (const MovedChild& child : levels[level - 1].children) ++references[child.node];
    }
    places = places_of(sizes, references);
  }
  return bytes;
}

uint64_t TransformDag::huffman_bytes() const {
  constexpr uint64_t kCodeBits = 8 * (kTransformBytes + 1);
  uint64_t bits = levels.empty() ? 0 : 64 * levels.back().masks.size();
  for (size_t level = 0; level + 1 < levels.size(); ++level) {
    const TransformLevel& here = levels[level];
    std::vector<uint64_t> counts;
    for (const auto& [key, count] : transforms_of(here)) counts.push_back(count);
    const uint64_t below = levels[level + 1].masks.size();
    const auto number_bits = static_cast<uint64_t>(std::bit_width(below == 0 ? 0 : below - 1));
    bits += 8 * here.masks.size() + number_bits * here.children.size() + huffman_bits(counts) +
            kCodeBits * counts.size();
  }
  return (bits + 7) / 8;
}

// Nodes that equal a coarser view of a node of a level above: how many there are, and the size without them.

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
