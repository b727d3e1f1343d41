// How small the materials of a scene could be if they were kept apart from its geometry: one material for each filled voxel,
// in the order of a depth-first walk.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/measure/stats.h"

namespace vox::measure {

// The form `blocks`, in which the material of a voxel is found by two reads:
//
//   header, for 8 blocks   8 bytes: the bit at which their indices begin
//                          2 bytes for each block of 64 voxels: its palette, a set of the 16 materials
//   indices                those of the 8 blocks follow each other. An index has as many bits as the number of materials in
//                          the block's palette needs: none if there is only one
//
// The last block has the voxels that are left.
inline constexpr uint64_t kBlockVoxels = 64, kBlocksOfHeader = 8, kHeaderBytes = 8 + 2 * kBlocksOfHeader;

// Returns the sizes of the materials of a scene in these forms:
//
//   leaves          in the leaves of the DAG: what it takes besides the geometry
//   nibbles         4 bits for each filled voxel
//   runs            for each run of voxels of one material the number of the first one, and the material
//   blocks          see above
//   entropy         Shannon's bound for codes that look at one voxel at a time
//   entropy_after   the same where a code also sees the voxel before
//
// The DAG must have materials and be one that check_structure() accepts; `geometry` is the same without materials.
std::vector<SceneSize> material_forms(const dag::FrozenDag& dag, const dag::FrozenDag& geometry);

}  // namespace vox::measure
