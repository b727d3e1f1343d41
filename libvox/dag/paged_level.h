// Levels of a DAG that are read when they are used, so that the DAG may be larger than memory. Walks over such a DAG
// look like walks over any other. A walk that stays in one part of the scene is fast, because nodes that belong
// together stand close together. A loop over all nodes should go level by level, in order.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "libvox/base/paged_memory.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

struct FiledLevel {
  std::string where;  // for messages: the file and what in it is read
  LevelForm form;
  uint64_t words = 0, nodes = 0, svo_nodes = 0;
  uint64_t nodes_below = 0;  // on the next level; not used for leaves
  LongWords starts;          // the words at which the nodes 0, 4096, 8192, … begin
  uint64_t piece_words = 0;  // that are read together, or a few more
  // Reads the words from number `first` on. Any thread may call it, in the handler of a fault (PagedMemory::Fill).
  std::function<void(uint64_t first, std::span<uint32_t> to)> read;
};

// Returns a level whose words are read with source.read when they are first used. What check_structure() checks of a
// node is checked when its place is first used; a failure is an error that throw_if_cancelled() throws. Throws Error if
// the source contradicts itself.
DagLevel paged_level(FiledLevel source, const std::shared_ptr<PagedBudget>& budget);

}  // namespace vox::dag
