// How many voxels lie below each node of a DAG.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/level_nodes.h"

namespace vox::dag {

class NodeVoxels {
 public:
  // `nodes` is what check_structure() has found, and outlives this.
  NodeVoxels(const FrozenDag& dag, const std::vector<LevelNodes>& nodes);

  // Of the node of this level that begins at `offset`.
  uint64_t at(uint32_t level, uint64_t offset) const {
    if (level == dag_.depth())
      return static_cast<uint64_t>(popcount(leaf_mask(&dag_.levels[level].words[offset])));
    return counts_[level][nodes_[level].index_of(offset)];
  }

 private:
  const FrozenDag& dag_;
  const std::vector<LevelNodes>& nodes_;
  std::vector<std::vector<uint64_t>> counts_;  // of the inner levels, in the order of nodes
};

}  // namespace vox::dag
