// Counts the nodes and voxels of the octree that a DAG represents.
#pragma once

#include <vector>

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

struct OctreeCounts {
  std::vector<uint64_t> nodes;  // for each level, beginning with the root's
  uint64_t voxels = 0;
};

// The DAG must be one that check_structure() accepts.
OctreeCounts octree_counts(const FrozenDag& dag);

// Sets the counts of octree nodes and of voxels in a DAG in which everything else is set.
void count_octree(FrozenDag& dag);

}  // namespace vox::dag
