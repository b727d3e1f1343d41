// The nodes of a .svdag or .ussvdag file for the voxels of a DAG. With mirrors, nodes that are mirror images
// of each other are stored once: the lexicographically least of the eight images stands for all of them, and
// each pointer to it states how it is mirrored.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "formats/voxels/dag_files/symvox_file.h"
#include "formats/voxels/slot_order.h"
#include "libvox/dag/frozen_dag.h"

namespace vox {

// The content of a node's slot: 8 · (the child's number in the level below + 1) + its mirrors, or 0 for no
// child.
using SymVoxSlots = std::array<uint32_t, 8>;

struct SymVoxNodes {
  // The levels from the root's down, except the last one, whose nodes are masks of 2³ voxels.
  std::vector<std::vector<SymVoxSlots>> inner;
  std::vector<uint8_t> blocks;

  uint64_t nodes() const;
  uint64_t inner_words() const;
};

// The DAG must have voxels and satisfy check_structure(). Throws Error if a level has 2^29 nodes or more.
SymVoxNodes symvox_nodes(const dag::FrozenDag& dag, const SlotOrder& order, SymVoxKind kind);

}  // namespace vox
