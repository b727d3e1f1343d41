// Scenes that are made of another one: coarser, with one material, or without materials.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/ranks/ranks.h"

namespace vox::dag {

// Makes coarser levels of a scene, whose voxels have twice the side of the scene's voxels, four times the
// side, and so on.
//
// A coarse voxel is filled if any of the scene's voxels inside it is filled. Its material is the one that
// most of these filled voxels have; among equally frequent materials, the lowest. The scene's own voxels are
// counted at every level, so a quarter of the resolution may differ from half of half the resolution: the
// majority of majorities need not be the majority.

// Returns the resolutions that result from halving this one once, twice, and so on, rounded up, as long as
// they are at least the side of a leaf.
std::vector<uint32_t> coarser_resolutions(uint32_t resolution);

// Returns how often `resolution` must be halved to become `wanted`. Throws a UsageError that names the possible
// resolutions.
uint32_t halvings_to(uint32_t wanted, uint32_t resolution);
// Returns how often `resolution` must be halved until the cube has at most `most_voxels`, or until no coarser
// level is left.
uint32_t halvings_below(uint64_t most_voxels, uint32_t resolution);

// Limits on the memory in bytes that making a coarser scene may take.
struct CoarserMemory {
  uint64_t limit = 0;            // for the result, and for finding equal nodes, as in EngineOptions
  uint64_t counts = UINT64_MAX;  // for counts of materials, and a quarter of it for words of nodes
};

// Returns the DAG at the resolution coarser_resolutions()[halvings - 1]. The DAG must be one that
// check_structure() accepts. Throws OutOfMemory. A collective call: each rank reads its share of the nodes and finds the
// voxels that they become. Rank 0 makes the result; the others have an empty DAG.
FrozenDag coarser(const FrozenDag& dag, uint32_t halvings, const CoarserMemory& memory = {},
                  ranks::Ranks& ranks = ranks::alone());

// Makes a whole scene coarser. Its larger voxels begin at the same origin. The palette's shares remain those
// of the meshes' surface. The history remains that of the finer scene, whose digests it names.
VoxelScene coarser(VoxelScene scene, uint32_t halvings, const CoarserMemory& memory = {},
                   ranks::Ranks& ranks = ranks::alone());
// Does the same with a coarser DAG that coarser() has already made of the scene's.
VoxelScene with_coarser_dag(VoxelScene scene, uint32_t halvings, FrozenDag dag);

// Gives the material 0 to all voxels of a DAG that has no materials. A scene without materials can then be combined
// with one that has materials, which edits require to be alike. check_structure() must accept the DAG. Throws an
// Error if the leaves would need more words than child pointers can reach.
FrozenDag with_one_material(const FrozenDag& dag);

// Removes the materials from a DAG: leaves are reduced to masks, nodes are deduplicated again, and every full
// node becomes homogeneous. Converting the scene with --materials none gives the same DAG. The DAG must be one that
// check_structure() accepts. The memory limit is that of EngineOptions.
FrozenDag without_materials(const FrozenDag& dag, uint64_t memory_limit = 0);

// Makes a scene smaller by changing a few of its voxels: rare nodes become the nearest common one of their level, after
// van der Laan et al. 2020, Lossy Geometry Compression for High Resolution Voxel Scenes.
//
// The paper finds clusters of similar nodes in a graph. Here the common nodes of a level are those that stand for most
// nodes of the octree; they are at most a quarter of the level and at most kMostCommon, and they stay. Any other node
// may become the common node from which it differs in the fewest voxels; ties go to the more common one. The nodes that
// change the fewest voxels of the whole scene come first, until the share of changed voxels is used up: first leaves,
// up to a quarter of the share, then nodes of 8³ voxels.

struct LossyDag {
  FrozenDag dag;
  uint64_t changed_voxels = 0;  // voxels that are filled in only one of the two scenes
  // Leaves and nodes of 8³ voxels of the first DAG that were replaced by other ones.
  uint64_t replaced_leaves = 0, replaced_nodes = 0;
};

// A level has at most this many common nodes.
inline constexpr uint64_t kMostCommon = 1 << 15;

// Changes at most `share` of the filled voxels, 0 to 1. The DAG must have no materials and be one that check_structure()
// accepts. No voxel outside of the grid becomes filled. The memory limit is that of EngineOptions, for the result.
LossyDag lossy(const FrozenDag& dag, double share, uint64_t memory_limit = 0);

}  // namespace vox::dag
