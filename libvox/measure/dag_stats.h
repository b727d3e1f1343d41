// Statistics of a DAG, counted from its words: what it holds, and how much its nodes are shared.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/hash/batch.h"
#include "libvox/scene/palette.h"

namespace vox::measure {

// How often nodes are used.
struct UseCounts {
  uint64_t most = 0;                   // of the node used most
  std::array<uint64_t, 64> bins = {};  // bins[i]: how many nodes are used 2^i to 2^(i + 1) − 1 times

  void add(uint64_t uses);
  UseCounts& operator+=(const UseCounts& other);
};

struct LevelStats {
  uint64_t svo_nodes = 0;            // in the octree
  uint64_t unique_nodes = 0;         // in the DAG
  uint64_t words = 0;                // of the unique nodes
  uint64_t svo_words = 0;            // of all nodes, were nothing shared
  hash::SizeCounts item_sizes = {};  // unique nodes by their words

  // How often nodes are used, counted in two ways. `pointers` counts the child pointers of the DAG that lead
  // to a node, the root having one from outside; `places` counts the nodes of the octree that it stands for.
  UseCounts pointers, places;

  LevelStats& operator+=(const LevelStats& other);
  double reduction() const {
    return unique_nodes == 0 ? 1 : static_cast<double>(svo_nodes) / static_cast<double>(unique_nodes);
  }
};

struct DagStats {
  uint64_t voxels = 0;
  std::array<uint64_t, scene::kPaletteSize> material_voxels = {};  // material 0 without materials
  VoxelBox filled = {};                                            // empty without voxels
  uint64_t octree_masks = 0;       // nodes of an octree down to cubes of 2³ voxels, one byte each
  std::vector<LevelStats> levels;  // the root's first

  LevelStats all_levels() const;
};

// The DAG is one that check_structure() accepts.
DagStats count_dag(const dag::FrozenDag& dag);

// Throws Error unless the counts that the DAG comes with are those of its nodes.
void check_counts(const DagStats& counted, const dag::FrozenDag& dag);

}  // namespace vox::measure
