// The material that most voxels below a node have.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libvox/base/paged_memory.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/ranks/ranks.h"
#include "libvox/scene/palette.h"

namespace vox::dag {

// There are at most 2^60 voxels, so no count overflows.
using VoxelCounts = std::array<uint64_t, scene::kPaletteSize>;

// Adds the voxels of a leaf with materials.
void add_leaf(VoxelCounts& counts, const uint32_t* leaf);

// Returns the material with the greatest count; ties go to the lowest.
uint8_t majority(const VoxelCounts& counts);

using MaterialBytes = std::vector<uint8_t, UninitializedAllocator<uint8_t>>;

// Returns, for each node of `level` in this rank's share (own_nodes()), the material that most voxels below it have;
// ties go to the lowest. Voxels are counted from the leaves up, and each level is read once, in order. The counts of a
// level lie in a file without a name, in the folder for temporary files, if they would take more than `memory` bytes.
// The DAG must have materials, and be one that check_structure() accepts. A collective call, in which each rank counts
// a part of the nodes.
MaterialBytes majority_materials(const FrozenDag& dag, uint32_t level, uint64_t memory, ranks::Ranks& ranks);

}  // namespace vox::dag
