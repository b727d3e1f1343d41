// How many voxels lie below each node of a DAG.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

class NodeVoxels {
 public:
  // The DAG is one that check_structure() accepts, and outlives this.
  explicit NodeVoxels(const FrozenDag& dag);

  // Of the node of this level with this number.
  uint64_t at(uint32_t level, uint64_t number) const {
    if (level == dag_.depth())
      return static_cast<uint64_t>(popcount(leaf_mask(dag_.levels[level].node(number))));
    return counts_[level][number];
  }

 private:
  const FrozenDag& dag_;
  std::vector<std::vector<uint64_t>> counts_;  // of the inner levels, in the order of nodes
};

}  // namespace vox::dag
