// Counts the nodes and voxels of the octree that a DAG stands for.
#pragma once

#include <vector>

#include "libvox/dag/level_nodes.h"

namespace vox::dag {

struct OctreeCounts {
  std::vector<uint64_t> nodes;  // per level, the root's first
  uint64_t voxels = 0;
};

// `nodes` is what check_structure() has found.
OctreeCounts octree_counts(const FrozenDag& dag, const std::vector<LevelNodes>& nodes);

// Sets the counts of nodes and voxels of a DAG in which all the rest is right.
void count_octree(FrozenDag& dag);

}  // namespace vox::dag
