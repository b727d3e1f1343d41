// A DAG in canonical form, on the host: what files hold and what engines load and give back.
//
// levels[0] holds the root alone, levels.back() the leaves; the nodes of a level stand one behind the other
// in the order in which a depth-first walk from the root, children in Morton order, first visits them. A
// child pointer is the number of the child among the nodes of the next level; where each node begins stands
// beside the words. An empty scene has levels without words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libvox/base/words.h"
#include "libvox/dag/digest.h"
#include "libvox/dag/node.h"
#include "libvox/dag/node_places.h"

namespace vox::dag {

struct DagLevel {
  Words words;
  uint64_t nodes = 0;      // unique
  uint64_t svo_nodes = 0;  // in the octree, before deduplication
  NodePlaces places = {};  // of the nodes among the words

  // The words of a node.
  const uint32_t* node(uint64_t number) const { return words.data() + places[number]; }
};

struct FrozenDag {
  uint32_t resolution = 0;  // R: voxels lie in [0, R)³
  bool materials = true;    // leaves hold 4-bit materials
  uint64_t voxels = 0;
  // kLeafLog2 + levels.size() - 1 is the log2 of the smallest power of two >= R (and >= 4).
  std::vector<DagLevel> levels;
  Digest digest;

  bool empty() const { return levels.front().words.empty(); }
  uint32_t depth() const { return static_cast<uint32_t>(levels.size()) - 1; }  // inner levels
  uint32_t side() const { return kLeafSide << depth(); }                 // voxels a side of the whole cube
  uint32_t level_side(uint32_t level) const { return side() >> level; }  // voxels a side of a node
  uint64_t unique_nodes() const;
  uint64_t svo_nodes() const;
  uint64_t bytes() const;  // of nodes and leaves, levels apart
};

// Returns how many levels a scene of this resolution has above the leaves.
uint32_t depth_for(uint32_t resolution);

// Returns an empty scene of this resolution: its levels have no words.
FrozenDag empty_dag(uint32_t resolution, bool materials);

inline constexpr int kEmptyVoxel = -1;

// Material of the voxel (0 without materials), or kEmptyVoxel. Coordinates outside the cube are empty.
int voxel_at(const FrozenDag& dag, uint32_t x, uint32_t y, uint32_t z);

// Recomputes the digest from the words. The DAG is one that check_structure() accepts.
Digest compute_digest(const FrozenDag& dag);

// Checks everything a reader relies on: header bits, child numbers in range, canonical
// order and uniqueness, homogeneous flags, zero padding, nothing filled outside [0, R)³, the counts and the
// digest. Throws Error that names the level and the word.
void verify(const FrozenDag& dag);

}  // namespace vox::dag
