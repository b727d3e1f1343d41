// How much memory one scene takes in each of the forms in which voxels are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/measure/dag_stats.h"

namespace vox::measure {

struct SceneSize {
  std::string name;  // for files: "pointer_octree"
  std::string text;  // for people
  uint64_t bytes = 0;
};

// The sizes of a scene in these forms:
//
//   dense_occupancy      R³ voxels, 1 bit each
//   dense_materials      R³ voxels, 4 bits each where at most 15 materials occur, else 8; 0 is empty
//   pointerless_octree   a byte of child mask for every node of an octree down to cubes of 2³ voxels, and
//                        4 bits of material for each filled voxel
//   pointer_octree       the DAG's nodes and leaves, as many as the octree has; its pointers would not reach
//                        further than 32 bits do
//   svdag                the DAG's nodes and leaves, levels apart
//   svdag_geometry       nodes and leaves of the scene without materials
//
// dense_materials is absent where the scene has no materials, svdag_geometry where `geometry` is.
std::vector<SceneSize> scene_sizes(const dag::FrozenDag& dag, const DagStats& stats,
                                   const std::optional<DagStats>& geometry);

// Bits for each filled voxel; 0 where there is none.
double bits_per_voxel(const SceneSize& size, uint64_t voxels);

}  // namespace vox::measure
