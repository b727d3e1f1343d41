// A DAG that is made of another one, node by node: each node of the other DAG becomes one of the new DAG, for example a coarser
// one. Nodes that become equal are stored once.
//
// No walk brings the new nodes into canonical order. A level of the other DAG is in the order in which a depth-first walk first
// visits its nodes. The new octree has the same nodes above some level, so a walk of it first visits a new node where a walk of
// the other one first visits any of the nodes that become it. The new nodes are therefore numbered in the order of the first of
// these. The levels are made from the leaves up, and each level of the other DAG is read once, in order.
#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libvox/base/progress.h"
#include "libvox/base/spilled_array.h"
#include "libvox/base/words.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/walk.h"
#include "libvox/hash/batch.h"

namespace vox::dag {

class DerivedDag {
 public:
  // Makes the levels of `result`, an empty DAG of the new resolution. They and the table of a level's nodes may take so many
  // bytes, or all memory if the limit is 0.
  DerivedDag(FrozenDag& result, uint64_t memory_limit);

  // Makes the next level, the leaves first, of n nodes of another DAG. nodes(range, put) calls put(number, write) for each node
  // in the range, and write(words) writes the words of the new node and returns how many there are. Throws OutOfMemory.
  template <class Nodes>
  void add_level(uint64_t n, uint64_t at_once, const Nodes& nodes) {
    start_level(n);
    const uint64_t most = batch_nodes(at_once);
    for (uint64_t begin = 0; begin < n; begin += most) {
      throw_if_cancelled();
      const uint64_t end = std::min(begin + most, n);
      start_batch(begin, end - begin);
      tbb::parallel_for(NodeNumbers(begin, end, at_once), [&](const NodeNumbers& range) {
        // The slots of some nodes are on their way to the cache while others are written.
        constexpr uint64_t kAhead = 32;
        uint64_t claimed = range.begin() - begin;
        nodes(range, [&](uint64_t number, const auto& write) {
          const uint64_t i = number - begin;
          sizes_[i] = static_cast<uint8_t>(write(item(i)));
          find_slot(i);
          if (i >= claimed + kAhead) claim_slot(claimed++);
        });
        while (claimed < range.end() - begin) claim_slot(claimed++);
      });
      finish_batch(begin, end - begin);
    }
    finish_level();
  }

  // Makes the levels that are left of those of the other DAG: each node gets what its children have become. Throws Error if
  // the nodes of the other DAG are not in canonical order.
  void add_levels_above(const FrozenDag& other);

  // Returns what the nodes of the level below have become: a number for each.
  const std::vector<uint32_t>& below() const { return numbers_; }
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
  void claim_slot(uint64_t i);
  void finish_batch(uint64_t begin, uint64_t n);
  void make_room(uint64_t items, uint64_t words, uint64_t done);
  void finish_level();
  void grow_table(uint64_t slots);
  void check_memory(uint64_t more) const;

  FrozenDag& result_;
  const uint64_t memory_limit_;
  uint32_t level_;                 // the one behind the level that is made
  std::vector<uint32_t> numbers_;  // of the nodes of the last level that is complete
  std::vector<uint32_t> made_;     // of those of the level that is made

  // The nodes of the level so far, and a table of them. A slot is 0 if it is free, else the upper half of a node's hash
  // above the node's value, its number and 1. A node of the batch at hand has a value, too: the number that it would have
  // if all of the batch were new, and 1. The least value of equal nodes stays in their slot.
  Words words_;
  PlacesBlocks blocks_;
  uint64_t count_ = 0, used_words_ = 0;
  SpilledArray<uint64_t> table_;

  // The batch at hand.
  Words items_;  // kMaxItemWords for each
  std::vector<uint8_t> sizes_;
  std::vector<uint64_t> slots_;
  std::vector<uint32_t> first_, word_;  // the items that are new, and the words before each of them
};

}  // namespace vox::dag
