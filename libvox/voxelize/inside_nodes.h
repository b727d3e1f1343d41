// Makes the DAG of a scene anew when the host has decided what is inside it: leaves where voxels differ, and whole nodes
// where all do the same. Nodes come in Morton order, a run of cubes at a time, and nothing else of the scene is in memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "libvox/dag/from_cubes.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::voxelize {

inline constexpr uint32_t kFullNode = UINT32_MAX;

// Nodes of one run of the octree, in Morton order for each height above the leaves.
struct NodeRun {
  // A node that is full of a material, or one of the old scene, of which all voxels have that material now.
  struct Whole {
    uint64_t key;       // 8 B, the Morton code of its place on its level
    uint32_t node;      // 4 B, its number in the old scene, or kFullNode
    uint32_t material;  // 4 B
  };
  std::array<std::vector<Whole>, 20> wholes = {};  // by height
  std::vector<uint64_t> leaf_keys;
  std::vector<uint32_t> words, ends;  // the leaves' words, and where those of each leaf end

  void add_leaf(uint64_t key, const uint32_t* leaf, uint32_t count) {
    leaf_keys.push_back(key);
    words.insert(words.end(), leaf, leaf + count);
    ends.push_back(static_cast<uint32_t>(words.size()));
  }
};

class InsideNodes {
 public:
  // Runs end at the faces of cubes of this height above the leaves, or lower in a scene that is no larger.
  static constexpr uint32_t kRunHeight = 4;
  static uint32_t run_height(const dag::FrozenDag& dag) { return std::min(dag.depth(), kRunHeight); }

  // `memory_limit` is that of HostStore.
  InsideNodes(const dag::FrozenDag& old, uint64_t memory_limit)
      : old_(old), run_height_(run_height(old)), store_(old.materials, memory_limit) {}

  // Takes runs, which follow those of earlier calls. Nodes above the runs' height are taken by add_large().
  void add(const std::vector<NodeRun>& runs);
  void add_large(uint32_t height, NodeRun::Whole whole) { large_[height].push_back(whole); }

  dag::FrozenDag finish();

 private:
  dag::HostStore::Level with(dag::HostStore::Level level, uint32_t height,
                             const std::vector<NodeRun::Whole>& wholes);
  uint32_t pointer(uint32_t height, uint32_t node, uint32_t material);
  uint32_t made(uint32_t height, uint32_t node, uint32_t material);

  const dag::FrozenDag& old_;
  const uint32_t run_height_;
  dag::HostStore store_;
  dag::HostStore::Level roots_;  // of the runs
  std::array<std::vector<NodeRun::Whole>, 20> large_ = {};
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> known_;  // whole nodes that are stored
};

}  // namespace vox::voxelize
