#include "libvox/dag/level_nodes.h"

#include <fmt/format.h>
#include <tbb/parallel_scan.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"

namespace vox::dag {
namespace {

constexpr uint32_t kMaxDepth = 18;  // 2^20 voxels a side

void check_level_count(const FrozenDag& dag) {
  if (dag.resolution == 0 || dag.resolution > kLeafSide << kMaxDepth)
    throw Error(
        fmt::format("the resolution is {}, expected at most {}", dag.resolution, kLeafSide << kMaxDepth));
  size_t expected = depth_for(dag.resolution) + 1;
  if (dag.levels.size() != expected)
    throw Error(
        fmt::format("{} levels at resolution {}, expected {}", dag.levels.size(), dag.resolution, expected));
}

void check_pointers(const FrozenDag& dag, const std::vector<LevelNodes>& nodes, uint32_t level) {
  const Words& words = dag.levels[level].words;
  nodes[level].parallel_for_each([&](uint64_t, uint32_t offset) {
    for (uint64_t i = offset + 1; i < offset + node_words(words[offset]); ++i)
      if (!nodes[level + 1].starts_at(words[i]))
        throw Error(fmt::format("points to word {} of level {}, where no node starts", words[i], level + 1))
            .at(level_place(level, i));
  });
}

// The words that a node says it has. A leaf's mask may itself be cut off at the end.
uint64_t words_of_node(const Words& words, uint64_t offset, NodeKind kind, bool materials) {
  if (kind == NodeKind::Inner) return node_words(words[offset]);
  return words.size() - offset < 2 ? 2 : leaf_words(leaf_mask(&words[offset]), materials);
}

}  // namespace

std::string level_place(uint32_t level, uint64_t word) {
  return fmt::format("level {}, word {}", level, word);
}

LevelNodes::LevelNodes(uint64_t words) : blocks_((words + 63) / 64), words_(words) {
  tbb::parallel_for(blocks(), [&](const Blocks& range) {
    std::fill(blocks_.begin() + static_cast<ptrdiff_t>(range.begin()),
              blocks_.begin() + static_cast<ptrdiff_t>(range.end()), Block{});
  });
}

LevelNodes::LevelNodes(const FrozenDag& dag, uint32_t level) : LevelNodes(dag.levels[level].words.size()) {
  const Words& words = dag.levels[level].words;
  const NodeKind kind = level == dag.depth() ? NodeKind::Leaf : NodeKind::Inner;
  for (uint64_t offset = 0; offset < words.size();) {
    blocks_[offset / 64].starts |= uint64_t{1} << offset % 64;
    const uint64_t left = words.size() - offset, size = words_of_node(words, offset, kind, dag.materials);
    if (size > left)
      throw Error(fmt::format("a node of {} words, but only {} are left", size, left))
          .at(level_place(level, offset));
    offset += size;
  }
  number_nodes();
}

// Sets the index of the first node of each block.
void LevelNodes::number_nodes() {
  count_ = tbb::parallel_scan(
      blocks(), uint64_t{0},
      [&](const Blocks& range, uint64_t before, bool is_final) {
        for (size_t i = range.begin(); i < range.end(); ++i) {
          if (is_final) blocks_[i].first = before;
          before += static_cast<uint64_t>(std::popcount(blocks_[i].starts));
        }
        return before;
      },
      std::plus<>());
}

// Marks a start, which other threads may do at once. False where it lies outside of the level.
bool LevelNodes::mark(uint32_t offset) {
  if (offset >= words_) return false;
  const std::atomic_ref<uint64_t> starts(blocks_[offset / 64].starts);
  const uint64_t bit = uint64_t{1} << offset % 64;
  if ((starts.load(std::memory_order_relaxed) & bit) == 0) starts.fetch_or(bit, std::memory_order_relaxed);
  return true;
}

// Whether the node that is marked at `offset` ends where the next one is marked, or the level ends. A node has
// fewer words than a block, so that the next one starts in the same block or the one behind it.
bool LevelNodes::next_follows(uint32_t offset, uint64_t size) const {
  const size_t block = offset / 64;
  const uint32_t bit = offset % 64;
  const uint64_t behind = block + 1 < blocks_.size() ? blocks_[block + 1].starts : 0;
  // The marks of the words from the one behind the node's first on.
  const uint64_t marks = bit == 63 ? behind : blocks_[block].starts >> (bit + 1) | behind << (63 - bit);
  const uint64_t inner = marks & ((uint64_t{1} << (size - 1)) - 1), end = offset + size;
  return inner == 0 && (end == words_ || (end < words_ && (marks >> (size - 1) & 1) != 0));
}

// Goes over the nodes that are marked, and marks what their pointers lead to. False where nodes do not stand one
// behind the other from the level's first word to its last, or a pointer leads out of the level below.
bool LevelNodes::mark_below(const DagLevel& level, LevelNodes& below) const {
  constexpr uint64_t kAhead = 64;
  const Words& words = level.words;
  std::atomic<bool> right = true;
  parallel_for_each([&](uint64_t, uint32_t offset) {
    const uint64_t size = node_words(words[offset]);
    bool good = next_follows(offset, size);
    for (uint64_t i = offset + 1; good && i < offset + size; ++i) {
      // Headers are among the words that are taken for pointers here, which does no harm.
      if (i + kAhead < words.size() && words[i + kAhead] < below.words_)
        prefetch_line(&below.blocks_[words[i + kAhead] / 64]);
      good = below.mark(words[i]);
    }
    if (!good) right.store(false, std::memory_order_relaxed);
  });
  return right;
}

// Whether the leaves that are marked stand one behind the other, from the level's first word to its last.
bool LevelNodes::leaves_follow(const DagLevel& level, bool materials) const {
  std::atomic<bool> right = true;
  parallel_for_each([&](uint64_t, uint32_t offset) {
    if (!next_follows(offset, words_of_node(level.words, offset, NodeKind::Leaf, materials)))
      right.store(false, std::memory_order_relaxed);
  });
  return right;
}

std::optional<std::vector<LevelNodes>> LevelNodes::of_pointers(const FrozenDag& dag) {
  std::vector<LevelNodes> nodes;
  for (const DagLevel& level : dag.levels) nodes.push_back(LevelNodes(level.words.size()));
  if (!dag.empty()) nodes[0].mark(0);
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    const DagLevel& here = dag.levels[level];
    if (!dag.empty() && (nodes[level].blocks_[0].starts & 1) == 0) return std::nullopt;
    const bool right = level == dag.depth() ? nodes[level].leaves_follow(here, dag.materials)
                                            : nodes[level].mark_below(here, nodes[level + 1]);
    if (!right) return std::nullopt;
    nodes[level].number_nodes();
  }
  return nodes;
}

std::vector<LevelNodes> check_structure(const FrozenDag& dag) {
  check_level_count(dag);
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    if (dag.levels[level].words.empty() != dag.empty())
      throw Error(dag.empty() ? "has words, but the scene is empty"
                              : "has no words, but the scene is not empty")
          .at(fmt::format("level {}", level));
    // Child pointers have 32 bits.
    if (dag.levels[level].words.size() > uint64_t{1} << 32)
      throw Error("more than 2^32 words").at(fmt::format("level {}", level));
  }
  if (std::optional<std::vector<LevelNodes>> canonical = LevelNodes::of_pointers(dag))
    return *std::move(canonical);
  // What is wrong, or not canonical, is found by going through all levels word by word.
  std::vector<LevelNodes> nodes(dag.levels.size());
  tbb::parallel_for(uint32_t{0}, dag.depth() + 1, [&](uint32_t i) { nodes[i] = LevelNodes(dag, i); });
  if (nodes[0].count() > 1) throw Error("more than one root").at(level_place(0, 0));
  for (uint32_t level = 0; level < dag.depth(); ++level) check_pointers(dag, nodes, level);
  return nodes;
}

}  // namespace vox::dag
