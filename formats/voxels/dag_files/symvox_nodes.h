// The nodes of a .svdag or .ussvdag file for the voxels of a DAG. With mirrors, nodes that are mirror images of each
// other are stored once: the lexicographically least of the eight images stands for all of them, and who points to
// it says how it is mirrored.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "formats/voxels/dag_files/symvox_file.h"
#include "formats/voxels/slot_order.h"
#include "libvox/dag/level_nodes.h"

namespace vox {

// What a slot of a node holds: 8 · (the number of a node of the level below + 1) + how it is mirrored, or 0.
using SymVoxSlots = std::array<uint32_t, 8>;

struct SymVoxNodes {
  // From the root's level down, each but the last, whose nodes are masks of 2³ voxels.
  std::vector<std::vector<SymVoxSlots>> inner;
  std::vector<uint8_t> blocks;

  uint64_t nodes() const;
  uint64_t inner_words() const;
};

// The DAG has voxels, and is one that check_structure() accepts. Throws Error where a level has 2^29 nodes.
SymVoxNodes symvox_nodes(const dag::FrozenDag& dag, const SlotOrder& order, SymVoxKind kind);

}  // namespace vox
