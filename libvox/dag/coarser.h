// Makes a coarser level of a scene: its voxels have twice the side, four times, and so on.
//
// A voxel is filled where any of the scene's voxels inside of it is. Its material is the one that most of the
// filled ones have, the lowest where several are equally frequent. The scene's own voxels are counted at
// every level, so that a quarter may differ from half of half: a majority of majorities need not be the
// majority.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_scene.h"

namespace vox::dag {

// Returns what this resolution becomes when it is halved once, twice, and so on, rounded up, as long as it is
// at least the side of a leaf.
std::vector<uint32_t> coarser_resolutions(uint32_t resolution);

// Returns how often a resolution has to be halved to become the one that is wanted. Throws UsageError that
// names the resolutions that it can become.
uint32_t halvings_to(uint32_t wanted, uint32_t resolution);
// Returns how often it has to be halved until the cube has at most `most_voxels`, or no coarser level is
// left.
uint32_t halvings_below(uint64_t most_voxels, uint32_t resolution);

// The resolution becomes coarser_resolutions()[halvings - 1]. The DAG is one that check_structure() accepts.
// The function runs on the processor, and needs memory for the result and for the counts of materials of
// about one node in fifty. `memory_limit` means what it does in EngineOptions, for the result. Throws
// OutOfMemory.
FrozenDag coarser(const FrozenDag& dag, uint32_t halvings, uint64_t memory_limit = 0);

// Makes a whole scene coarser: its larger voxels begin at the same origin. The shares of the palette remain
// those of the meshes' surface, and the history remains that of the finer scene, whose digests it names.
VoxelScene coarser(VoxelScene scene, uint32_t halvings, uint64_t memory_limit = 0);

}  // namespace vox::dag
