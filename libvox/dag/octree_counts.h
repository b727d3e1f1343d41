// How many nodes and voxels the octree has that a DAG stands for.
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

// Sets the counts of a DAG that is right but for them.
void count_octree(FrozenDag& dag);

}  // namespace vox::dag
