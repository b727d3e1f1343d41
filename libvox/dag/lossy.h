// Makes a scene smaller by changing a few of its voxels: rare nodes become the nearest common one of their level, after
// van der Laan et al. 2020, Lossy Geometry Compression for High Resolution Voxel Scenes.
//
// The paper finds clusters of similar nodes in a graph. Here the common nodes of a level are those that stand for most
// nodes of the octree; they are at most a quarter of the level and at most kMostCommon, and they stay. Any other node
// may become the common node from which it differs in the fewest voxels; ties go to the more common one. The nodes that
// change the fewest voxels of the whole scene come first, until the share of changed voxels is used up: first leaves,
// up to a quarter of the share, then nodes of 8³ voxels.
#pragma once

#include <cstdint>

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

struct LossyDag {
  FrozenDag dag;
  uint64_t changed_voxels = 0;  // voxels that are filled in only one of the two scenes
  // Leaves and nodes of 8³ voxels of the first DAG that were replaced by other ones.
  uint64_t replaced_leaves = 0, replaced_nodes = 0;
};

// A level has at most this many common nodes.
inline constexpr uint64_t kMostCommon = 1 << 15;

// Changes at most `share` of the filled voxels, 0 to 1. The DAG must have no materials and be one that check_structure()
// accepts. No voxel outside of the grid becomes filled. The memory limit is that of EngineOptions, for the result.
LossyDag lossy(const FrozenDag& dag, double share, uint64_t memory_limit = 0);

}  // namespace vox::dag
