// A coarser level of a scene: voxels of twice the side, four times, and so on.
//
// A voxel is filled where any of the scene's voxels inside of it is. Its material is that which most of the
// filled ones have, the lowest of several that as many have. Counted are the scene's own voxels at every
// level, so that a quarter is not what half of half is: majorities of majorities may differ.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_scene.h"

namespace vox::dag {

// What halving this resolution once, twice, and so on gives, rounded up, as long as a leaf is filled.
std::vector<uint32_t> coarser_resolutions(uint32_t resolution);

// How often a resolution has to be halved to become the one that is wanted. Throws UsageError that names those
// that it can become.
uint32_t halvings_to(uint32_t wanted, uint32_t resolution);
// How often, until so many voxels at most fill the cube, or there is no coarser level.
uint32_t halvings_below(uint64_t most_voxels, uint32_t resolution);

// The resolution becomes coarser_resolutions()[halvings - 1]. The DAG is one that check_structure() accepts.
// Runs on the processor, in memory for the result and for counts of materials of one node in some fifty;
// `memory_limit` as in EngineOptions, of the result. Throws OutOfMemory.
FrozenDag coarser(const FrozenDag& dag, uint32_t halvings, uint64_t memory_limit = 0);

// With larger voxels from the same origin on. The shares of the palette are those of the meshes' surface, the
// history that of the scene it was made from, whose digests it names.
VoxelScene coarser(VoxelScene scene, uint32_t halvings, uint64_t memory_limit = 0);

}  // namespace vox::dag
