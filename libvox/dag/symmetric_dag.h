// A DAG of geometry whose nodes are merged under the 48 symmetries of the cube (base/symmetry.h): of nodes that become
// each other when they are turned or mirrored, only the first in canonical order is stored. A pointer names the stored
// node and the symmetry that makes the child of it.
//
// The words of a stored inner node:
//
//   word 0   bits 0–7 child mask; the symmetries of the children in octants 0 to 3, six bits each from bit 8 up
//   word 1   the symmetries of the children in octants 4 to 7, six bits each from bit 0 up; bit 24: no voxel is empty
//   word 2…  for each present child, in the order of octants, its number among the stored nodes of the next level
//
// A leaf has two words, as in an SVDAG without materials. The root is never turned, because no node comes before it.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/base/hd.h"
#include "libvox/base/symmetry.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"
#include "libvox/device/handle.h"

namespace vox::dag {

inline constexpr uint32_t kTurnBits = 6;
inline constexpr uint32_t kSymmetricHeaderWords = 2;
inline constexpr uint32_t kSymmetricFull = 1 << 24;  // in word 1

VOX_HD inline uint32_t symmetric_words(uint32_t header) {
  return kSymmetricHeaderWords + static_cast<uint32_t>(popcount(child_mask(header)));
}
// Returns the index of the word that points to the child in an octant of the stored node, which must have this child.
VOX_HD inline uint32_t symmetric_child_word(uint32_t header, uint32_t octant) {
  return kSymmetricHeaderWords + static_cast<uint32_t>(popcount(header & ((1u << octant) - 1)));
}
// Returns the symmetry of that child.
VOX_HD inline uint32_t symmetric_turn(const uint32_t* node, uint32_t octant) {
  const uint32_t turns = octant < 4 ? node[0] >> 8 : node[1];
  return turns >> kTurnBits * (octant & 3) & 63;
}
VOX_HD inline bool symmetric_is_full(const uint32_t* node) {
  return (node[1] & kSymmetricFull) != 0;
}

struct SymmetricLevel {
  Words words;
  uint64_t nodes = 0;      // the number of stored nodes
  NodePlaces places = {};  // where each stored node begins
  // The sizes of the level in the SVDAG that this form stands for.
  uint64_t plain_nodes = 0, plain_words = 0, svo_nodes = 0;

  const uint32_t* node(uint64_t number) const { return words.data() + places[number]; }
};

struct SymmetricDag {
  uint32_t resolution = 0;
  uint64_t voxels = 0;
  Digest digest;  // the digest of the geometry, as in the FrozenDag
  std::vector<SymmetricLevel> levels;

  bool empty() const { return levels.front().nodes == 0; }
  uint32_t depth() const { return static_cast<uint32_t>(levels.size()) - 1; }
  uint64_t nodes() const;
  uint64_t bytes() const;  // the size of all words
};

// Merges the nodes of a DAG without materials, which check_structure() must accept.
template <class Device>
SymmetricDag symmetric_dag(Device& device, const FrozenDag& geometry);
SymmetricDag symmetric_dag(device::DeviceHandle device, const FrozenDag& geometry);

// Finds where the nodes of all levels begin, and checks everything that a walk relies on. The words and the numbers of
// nodes must be set. Throws an Error that names the level and the word.
void place_nodes(SymmetricDag& dag);

// Returns the plain DAG. Its digest is the one that this form states. Throws an Error if the nodes do not become those
// that the levels state.
FrozenDag expanded(const SymmetricDag& dag);

// Returns a number of voxels for each word of the inner levels: in place of a child's number, how many are below the
// child, and in place of a node's first word, how many are below the node. The number in place of the second word is
// 0.
std::vector<VoxelNumbers::Level> voxels_of_children(const SymmetricDag& dag);

// Checks that this form is the one that symmetric_dag() makes of the plain DAG. Throws an Error that names the level.
void check_same_nodes(device::DeviceHandle device, const SymmetricDag& dag, const FrozenDag& plain);

}  // namespace vox::dag
