// Counts the nodes and voxels of the octree that a DAG stands for.
#pragma once

#include <vector>

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

struct OctreeCounts {
  std::vector<uint64_t> nodes;  // per level, the root's first
  uint64_t voxels = 0;
};

// The DAG is one that check_structure() accepts.
OctreeCounts octree_counts(const FrozenDag& dag);

// Sets the counts of nodes and voxels of a DAG in which all the rest is right.
void count_octree(FrozenDag& dag);

}  // namespace vox::dag
