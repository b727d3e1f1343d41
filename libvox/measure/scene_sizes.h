// The memory that one scene takes in each of the forms in which voxels can be kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/measure/dag_stats.h"

namespace vox::measure {

struct SceneSize {
  std::string name;  // for files, e.g. "pointer_octree"
  std::string text;  // for people
  uint64_t bytes = 0;
};

// Returns the sizes of a scene in these forms:
//
//   dense_occupancy      R³ voxels, 1 bit each
//   dense_materials      R³ voxels, 4 bits each if at most 15 materials occur, else 8; 0 is empty
//   pointerless_octree   a byte of child mask for every node of an octree down to cubes of 2³ voxels, and
//                        4 bits of material for each filled voxel
//   pointer_octree       as many of the DAG's nodes and leaves as the octree has, with pointers of 32 bits,
//                        even if these could not address them all
//   svdag                the DAG's nodes and leaves, with separate levels
//   svdag_geometry       nodes and leaves of the scene without materials
//
// dense_materials is absent if the scene has no materials, svdag_geometry if `geometry` is absent.
std::vector<SceneSize> scene_sizes(const dag::FrozenDag& dag, const DagStats& stats,
                                   const std::optional<DagStats>& geometry);

// Returns the bits per filled voxel; 0 if there are none.
double bits_per_voxel(const SceneSize& size, uint64_t voxels);

}  // namespace vox::measure
