// Where the nodes of a level start, as one bit for each word and one count for each 64 words. It maps the
// offsets that child pointers are to the indices of nodes, by which arrays hold results for each node.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "libvox/base/words.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

class LevelNodes {
 public:
  LevelNodes() = default;
  // Goes through the level from its first word to its last. Throws Error where a node reaches beyond the end.
  LevelNodes(const FrozenDag& dag, uint32_t level);

  // The nodes of all levels, on all cores, where every node has a pointer that leads to it, as in every
  // canonical file: the pointers of one level are the starts of the next. Nothing where some node has none, or
  // a pointer leads elsewhere.
  static std::optional<std::vector<LevelNodes>> of_pointers(const FrozenDag& dag);

  uint64_t count() const { return count_; }

  bool starts_at(uint64_t offset) const {
    return offset / 64 < blocks_.size() && (blocks_[offset / 64].starts >> offset % 64 & 1) != 0;
  }

  // The index of the node that starts at `offset`.
  uint64_t index_of(uint64_t offset) const {
    const Block& block = blocks_[offset / 64];
    uint64_t before = block.starts & ((uint64_t{1} << offset % 64) - 1);
    return block.first + static_cast<uint64_t>(std::popcount(before));
  }

  // Calls body(index, offset) for the nodes that start in these blocks of 64 words, in order.
  using Blocks = tbb::blocked_range<size_t>;
  Blocks blocks() const { return {0, blocks_.size(), 256}; }

  template <class Body>
  void for_each_in(const Blocks& range, Body body) const {
    for (size_t i = range.begin(); i < range.end(); ++i) {
      uint64_t index = blocks_[i].first;
      for (uint64_t starts = blocks_[i].starts; starts != 0; starts &= starts - 1)
        body(index++, static_cast<uint32_t>(i * 64 + static_cast<size_t>(std::countr_zero(starts))));
    }
  }

  // Calls body(index, offset) for all nodes of the level, in parallel.
  template <class Body>
  void parallel_for_each(const Body& body) const {
    tbb::parallel_for(blocks(), [&](const Blocks& range) { for_each_in(range, body); });
  }

 private:
  struct Block {
    uint64_t starts;  // bit i: a node starts at word 64 · block + i
    uint64_t first;   // index of the first node that starts in the block
  };

  explicit LevelNodes(uint64_t words);  // without nodes
  bool mark(uint32_t offset);
  bool next_follows(uint32_t offset, uint64_t size) const;
  bool mark_below(const DagLevel& level, LevelNodes& below) const;
  bool leaves_follow(const DagLevel& level, bool materials) const;
  void number_nodes();

  std::vector<Block, UninitializedAllocator<Block>> blocks_;
  uint64_t words_ = 0;  // of the level
  uint64_t count_ = 0;
};

// Checks what a walk over the DAG needs to stay inside of it: as many levels as the resolution asks for,
// one root, every child pointer at the start of a node. Throws Error that names level and word.
std::vector<LevelNodes> check_structure(const FrozenDag& dag);

// Does what compute_digest(dag) does; `nodes` is what check_structure() has found.
Digest compute_digest(const FrozenDag& dag, const std::vector<LevelNodes>& nodes);

// A place for messages, such as "level 3, word 1234".
std::string level_place(uint32_t level, uint64_t word);

}  // namespace vox::dag
