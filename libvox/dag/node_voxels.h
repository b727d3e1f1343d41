// The number of voxels below each node of a DAG.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

class NodeVoxels {
 public:
  // The DAG must be one that check_structure() accepts, and must outlive this object.
  explicit NodeVoxels(const FrozenDag& dag);

  // Returns the count of the node with this number on this level.
  uint64_t at(uint32_t level, uint64_t number) const {
    if (level == dag_.depth())
      return static_cast<uint64_t>(popcount(leaf_mask(dag_.levels[level].node(number))));
    return counts_[level][number];
  }

 private:
  const FrozenDag& dag_;
  std::vector<std::vector<uint64_t>> counts_;  // for the inner levels, by node number
};

}  // namespace vox::dag
