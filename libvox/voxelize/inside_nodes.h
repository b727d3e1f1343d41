// Builds a scene's DAG again when the host has decided what is inside, from leaves where voxels differ and whole nodes
// elsewhere. Nodes arrive in Morton order, a run of cubes at a time. Nothing else of the new scene is in memory.
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
  // A node that is full of a material, or a node of the old scene whose filled voxels all get this material.
  struct Whole {
    uint64_t key;       // 8 B, the Morton code of its place on its level
    uint32_t node;      // 4 B, the number in the old scene, or kFullNode
    uint32_t material;  // 4 B
  };
  std::array<std::vector<Whole>, 20> wholes = {};  // by height above the leaves
  std::vector<uint64_t> leaf_keys;
  std::vector<uint32_t> words, ends;  // the words of all leaves, and where each leaf's words end

  void add_leaf(uint64_t key, const uint32_t* leaf, uint32_t count) {
    leaf_keys.push_back(key);
    words.insert(words.end(), leaf, leaf + count);
    ends.push_back(static_cast<uint32_t>(words.size()));
  }
};

class InsideNodes {
 public:
  // Runs consist of whole cubes of this height above the leaves, or of the root's height if that is lower.
  static constexpr uint32_t kRunHeight = 4;
  static uint32_t run_height(const dag::FrozenDag& dag) { return std::min(dag.depth(), kRunHeight); }

  // `memory_limit` is passed to HostStore.
  InsideNodes(const dag::FrozenDag& old, uint64_t memory_limit)
      : old_(old), run_height_(run_height(old)), store_(old.materials, memory_limit) {}

  // Adds runs, which must follow those of earlier calls. add_large() adds nodes above the runs' height.
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
  dag::HostStore::Level roots_;  // the roots of the runs' cubes
  std::array<std::vector<NodeRun::Whole>, 20> large_ = {};
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> known_;  // whole nodes that are stored
};

}  // namespace vox::voxelize
