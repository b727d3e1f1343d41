// A DAG in which nodes are stored once that are equal after a symmetry of the cube and a move by whole voxels, as in
// Molenaar & Eisemann 2025, Transform-Aware Sparse Voxel Directed Acyclic Graphs.
//
// A node may become any node of its level: all of its voxels are turned or mirrored within its cube and then moved, and none
// leaves the cube. So what lies beside a node is never seen, and nothing is cut off, which the paper's search also allows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::measure {

// A pointer: the child is the stored node `node` of the level below after the symmetry, moved by so many voxels.
struct MovedChild {
  uint32_t node = 0, symmetry = 0;  // 8 B
  Int3 move = {0, 0, 0};            // 12 B
};
static_assert(sizeof(MovedChild) == 20);

struct TransformLevel {
  uint64_t distinct = 0;  // nodes of the level, where those that become each other are one
  // The stored nodes are fewer: nodes below those that are not stored are not needed. A node has a mask, and children in the
  // order of octants; leaves have their voxels.
  std::vector<uint64_t> masks;
  std::vector<MovedChild> children;
};

struct TransformDag {
  std::vector<TransformLevel> levels;  // from the root's down

  uint64_t nodes() const;
  // The size of the nodes as SharedDag encodes them: with pointers of 16, 32 or 48 bits to places in the order of references.
  // The lowest bits of a pointer are a number in a table of the level's most frequent transforms, of 8 bytes each, which
  // is as long as makes the level smallest. The last number says that the transform follows, in 8 bytes.
  uint64_t table_bytes() const;
  // The size as a stream of bits: 8 bits of mask for each node, 64 for each leaf, and for each pointer the number of the node
  // with as many bits as its level needs, and the transform as a Huffman code. The codes of a level take 9 bytes for each
  // transform: itself, and its code's length.
  uint64_t huffman_bytes() const;
};

// The DAG must have no materials and be one that check_structure() accepts.
TransformDag transform_dag(const dag::FrozenDag& geometry);

// Returns the bits that symbols take in a Huffman code if each occurs so often; 0 for one symbol alone.
uint64_t huffman_bits(std::span<const uint64_t> counts);

}  // namespace vox::measure
