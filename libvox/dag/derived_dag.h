// Makes a DAG from another one, node by node: each node of the other DAG becomes a node of the new DAG, such as a
// coarser one. Nodes that become equal are stored once.
//
// Canonical order needs no walk here. A level of the other DAG is in the order in which a depth-first walk first visits
// its nodes. A walk of the new octree visits the same places, so it first visits a new node where a walk of the other
// one first visits any node that becomes it. New nodes are therefore numbered by the first old node that becomes them.
// Levels are made from the leaves up, and each level of the other DAG is read once, in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libvox/base/loops.h"
#include "libvox/base/paged_memory.h"
#include "libvox/base/progress.h"
#include "libvox/base/spilled_array.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/walk.h"
#include "libvox/hash/batch.h"

namespace vox::dag {

class DerivedDag {
 public:
  // Makes the levels of `result`, an empty DAG of the new resolution. They and the table of a level's nodes may take
  // `memory_limit` bytes, or all memory if it is 0.
  DerivedDag(FrozenDag& result, uint64_t memory_limit);

  // Counts this many bytes that the caller holds as a part of the memory.
  void hold(uint64_t bytes) { held_by_caller_ = bytes; }

  // Makes the next level, the leaves first, from n nodes of another DAG. nodes(range, put) calls put(number, write) for
  // each node in the range; write(words) writes the words of the new node and returns their number. Throws OutOfMemory.
  template <class Nodes>
  void add_level(uint64_t n, uint64_t at_once, const Nodes& nodes) {
    start_level(n);
    const uint64_t most = batch_nodes(at_once);
    for (uint64_t begin = 0; begin < n; begin += most) {
      throw_if_cancelled();
      const uint64_t end = std::min(begin + most, n);
      start_batch(begin, end - begin);
      parallel_for(NodeNumbers(begin, end, at_once), [&](const NodeNumbers& range) {
        // A slot is read a few nodes later, the node that it leads to a few later still, and so on, so that each has
        // come into the cache by then.
        constexpr uint64_t kAhead = 16;
        const uint64_t first = range.begin() - begin;
        uint64_t claimed = first;
        nodes(range, [&](uint64_t number, const auto& write) {
          const uint64_t i = number - begin;
          sizes_[i] = static_cast<uint8_t>(write(item(i)));
          find_slot(i);
          if (i >= first + kAhead) prefetch_place(i - kAhead);
          if (i >= first + 2 * kAhead) prefetch_words(i - 2 * kAhead);
          if (i >= claimed + 3 * kAhead) claim_slot(claimed++);
        });
        while (claimed < range.end() - begin) claim_slot(claimed++);
      });
      finish_batch(begin, end - begin);
    }
    finish_level();
  }

  // Makes the remaining levels from those of the other DAG: each child is replaced by the node that it has become.
  // Throws Error if the nodes of the other DAG are not in canonical order.
  void add_levels_above(const FrozenDag& other);

  // Returns, for each node of the other DAG's level below, the number of the node that it has become.
  const Words& below() const { return numbers_; }
  // Returns the header of a node with these children of the level below.
  uint32_t header_above(uint32_t octants, const uint32_t* children) const;

 private:
  uint32_t* item(uint64_t i) { return items_.data() + i * hash::kMaxItemWords; }
  bool equals(uint32_t value, const uint32_t* words, uint32_t size) const;
  uint64_t batch_nodes(uint64_t at_once) const;
  bool is_first(uint64_t i) const {
    return static_cast<uint32_t>(table_.data()[slots_[i]]) == count_ + i + 1;
  }
  void start_level(uint64_t n);
  void start_batch(uint64_t done, uint64_t n);
  void find_slot(uint64_t i);
  uint64_t number_in_slot(uint64_t i) const;
  void prefetch_place(uint64_t i) const;
  void prefetch_words(uint64_t i) const;
  void claim_slot(uint64_t i);
  void finish_batch(uint64_t begin, uint64_t n);
  void make_room(uint64_t items, uint64_t words, uint64_t done);
  void finish_level();
  void grow_table(uint64_t slots);
  void check_memory(uint64_t more) const;

  FrozenDag& result_;
  const uint64_t memory_limit_;
  uint64_t held_by_caller_ = 0;
  uint32_t level_;  // the index after the level that is being made
  Words numbers_;   // for each old node of the last complete level, that of its new node
  Words made_;      // the same for the level that is being made

  // The level's nodes so far, and a table of them. A free slot is 0; another one has the upper half of a node's hash in
  // its high bits and the node's value below. The value is the node's number + 1; for a node of the current batch, the
  // number that it would have if the whole batch were new, + 1. Of equal nodes, the least value stays in the slot.
  Words words_;
  PlacesBlocks blocks_;
  uint64_t count_ = 0, used_words_ = 0;
  SpilledArray<uint64_t> table_;

  // The current batch.
  Words items_;  // kMaxItemWords for each
  std::vector<uint8_t> sizes_;
  std::vector<uint64_t> slots_;
  std::vector<uint32_t> first_, word_;  // the items that are new, and the words before each of them
};

}  // namespace vox::dag
