// Statistics of a DAG, counted from its words: how many voxels and nodes it has, and how often nodes are
// shared.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/hash/batch.h"
#include "libvox/scene/palette.h"

namespace vox::measure {

// A histogram of how often nodes are used.
struct UseCounts {
  uint64_t most = 0;                   // uses of the most-used node
  std::array<uint64_t, 64> bins = {};  // bins[i] is the number of nodes with 2^i to 2^(i + 1) − 1 uses

  void add(uint64_t uses);
  UseCounts& operator+=(const UseCounts& other);
};

struct LevelStats {
  uint64_t svo_nodes = 0;            // in the octree
  uint64_t unique_nodes = 0;         // in the DAG
  uint64_t words = 0;                // words of the unique nodes
  uint64_t svo_words = 0;            // words of all nodes if nothing were shared
  hash::SizeCounts item_sizes = {};  // number of unique nodes for each number of words

  // The uses of nodes, counted in two ways: `pointers` counts the child pointers of the DAG that lead
  // to a node, with one pointer from outside for the root; `places` counts the nodes of the octree that a
  // node stands for.
  UseCounts pointers, places;

  LevelStats& operator+=(const LevelStats& other);
  double reduction() const {
    return unique_nodes == 0 ? 1 : static_cast<double>(svo_nodes) / static_cast<double>(unique_nodes);
  }
};

struct DagStats {
  uint64_t voxels = 0;
  std::array<uint64_t, scene::kPaletteSize> material_voxels = {};  // without materials, all are in 0
  VoxelBox filled = {};                                            // empty if there are no voxels
  uint64_t octree_masks = 0;       // nodes of an octree down to cubes of 2³ voxels, at one byte each
  std::vector<LevelStats> levels;  // from the root's level down

  LevelStats all_levels() const;
};

// Counts a DAG that check_structure() accepts.
DagStats count_dag(const dag::FrozenDag& dag);

// Throws Error if the counts stored with the DAG differ from those counted from its nodes.
void check_counts(const DagStats& counted, const dag::FrozenDag& dag);

}  // namespace vox::measure
