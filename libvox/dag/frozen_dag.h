// A DAG in canonical form, on the host. Files hold this form, and engines load it and return it.
//
// levels[0] holds only the root, and levels.back() the leaves. The nodes of a level stand one behind the
// other in the order in which a depth-first walk from the root, with children in Morton order, first visits
// them. A child pointer is the child's number among the nodes of the next level. The place where each node
// begins is stored beside the words. The levels of an empty scene have no words.
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
  uint64_t nodes = 0;      // unique nodes
  uint64_t svo_nodes = 0;  // nodes of the octree, before deduplication
  NodePlaces places = {};  // where each node begins among the words

  // Returns the words of a node.
  const uint32_t* node(uint64_t number) const { return words.data() + places[number]; }
};

struct FrozenDag {
  uint32_t resolution = 0;  // R: voxels lie in [0, R)³
  bool materials = true;    // leaves hold 4-bit materials
  uint64_t voxels = 0;
  // levels.size() follows from R: kLeafLog2 + levels.size() - 1 is the log2 of the smallest power of two >= R
  // (and >= 4).
  std::vector<DagLevel> levels;
  Digest digest;

  bool empty() const { return levels.front().words.empty(); }
  uint32_t depth() const { return static_cast<uint32_t>(levels.size()) - 1; }  // inner levels
  uint32_t side() const { return kLeafSide << depth(); }                 // voxels a side of the whole cube
  uint32_t level_side(uint32_t level) const { return side() >> level; }  // voxels a side of a node
  uint64_t unique_nodes() const;
  uint64_t svo_nodes() const;
  uint64_t bytes() const;  // bytes of the words of nodes and leaves
};

// Returns the number of levels above the leaves of a scene of this resolution.
uint32_t depth_for(uint32_t resolution);

// Returns an empty scene of this resolution.
FrozenDag empty_dag(uint32_t resolution, bool materials);

inline constexpr int kEmptyVoxel = -1;

// Returns the voxel's material (0 without materials), or kEmptyVoxel. Voxels outside the cube are empty.
int voxel_at(const FrozenDag& dag, uint32_t x, uint32_t y, uint32_t z);

// Recomputes the digest from the words. The DAG must be one that check_structure() accepts.
Digest compute_digest(const FrozenDag& dag);

// Checks everything that a reader relies on: the structure, header bits, child numbers, canonical order,
// uniqueness, homogeneous flags, zero padding, that nothing is filled outside [0, R)³, the counts and the
// digest. Throws Error that names the level and the word.
void verify(const FrozenDag& dag);

}  // namespace vox::dag
