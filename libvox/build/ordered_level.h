// A level in canonical order, while it is written. It becomes a level in memory, or one whose words stay in a nameless
// file and are read when they are used (dag/paged_level.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libvox/base/paged_memory.h"
#include "libvox/build/round.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::build {

// The place of a result's levels.
struct ResultPlace {
  SpillPlace place = {};
  // Bounds the bytes of all levels that are in memory at once. nullptr: the whole result lies in memory.
  std::shared_ptr<PagedBudget> budget = {};
};

class OrderedLevel {
 public:
  OrderedLevel(const ResultPlace& place, const dag::LevelForm& form, uint64_t nodes, uint64_t words);

  uint64_t words() const { return used_; }  // words that were written so far
  // Returns the place of the next n words. It is valid until the next call.
  std::span<uint32_t> append_words(uint64_t n);
  // Adds the places of the next nodes, which are whole blocks except at the end of the level.
  void add_places(std::span<const dag::PlacesBlock> blocks);

  // Returns the level. The next level has `nodes_below` nodes.
  dag::DagLevel finish(uint64_t nodes_below);

 private:
  const ResultPlace& place_;
  dag::LevelForm form_;
  uint64_t nodes_, all_words_, used_ = 0, blocks_used_ = 0;
  Words words_;
  dag::PlacesBlocks blocks_;
  SpilledArray<uint32_t> file_;
  LongWords starts_;  // the words at which the nodes 0, 4096, 8192, … begin
};

}  // namespace vox::build
