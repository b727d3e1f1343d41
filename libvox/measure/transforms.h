// A DAG that stores nodes once if they are equal after a symmetry of the cube and a move by whole voxels, as in
// Molenaar & Eisemann 2025, Transform-Aware Sparse Voxel Directed Acyclic Graphs.
//
// All of a node's voxels are turned or mirrored within its cube and then moved, and none may leave the cube. So
// no voxels of neighboring nodes come into view, and no voxel is cut off. The paper's search allows both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::measure {

// A pointer. The child is the stored node `node` of the level below, turned by the symmetry and moved by `move` voxels.
struct MovedChild {
  uint32_t node = 0, symmetry = 0;  // 8 B
  Int3 move = {0, 0, 0};            // 12 B
};
static_assert(sizeof(MovedChild) == 20);

struct TransformLevel {
  uint64_t distinct = 0;  // different nodes of the level; nodes that become each other count once
  // The stored nodes. They are fewer than `distinct`, since nodes that only unstored nodes use are not needed. A node
  // has a mask, and children in the order of octants. A leaf's mask has its voxels.
  std::vector<uint64_t> masks;
  std::vector<MovedChild> children;
};

struct TransformDag {
  std::vector<TransformLevel> levels;  // from the root's down

  uint64_t nodes() const;
  // The size of the nodes as SharedDag encodes them: with pointers of 16, 32 or 48 bits to places in the order of
  // references. A pointer's lowest bits are a number in a table of the level's most frequent transforms, of 8 bytes
  // each. The table's length makes the level smallest. The last number says that the transform follows, in 8 bytes.
  uint64_t table_bytes() const;
  // The size as a stream of bits: 8 bits of mask for each node, 64 for each leaf, and for each pointer the number of
  // the node with as many bits as its level needs, and the transform as a Huffman code. A level's code table takes 9
  // bytes for each transform: the transform and its code's length.
  uint64_t huffman_bytes() const;
};

// The DAG must have no materials and be one that check_structure() accepts.
TransformDag transform_dag(const dag::FrozenDag& geometry);

// Returns the bits that symbols take in a Huffman code if each occurs as often as `counts` says; 0 for a single symbol.
uint64_t huffman_bits(std::span<const uint64_t> counts);

}  // namespace vox::measure
