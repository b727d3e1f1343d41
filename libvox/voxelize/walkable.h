// Fills the space that a walker cannot reach, for programs in which people walk through scans (--fill outside, --carve).
//
// With `seal`, everything outside is filled. A path from beyond the scene's box leads from empty voxel to empty voxel
// through faces, and stays farther than `seal` from every filled voxel. Outside are the voxels on such paths, and
// those within `seal` of them. So gaps of up to twice this width are closed.
//
// With `walker`, the way of a walker is carved. The walker is an upright capsule: the voxels whose centers are within
// `radius` of a vertical line. It starts with its middle at `seed` and moves from voxel to voxel through faces,
// wherever its capsule holds no filled voxel. The voxels of all its places stay empty; all other voxels of the
// scene's box are filled.
//
// Columns of voxels along y are kept as runs, so that memory grows with the area of the surfaces.
#pragma once

#include <cstdint>
#include <optional>

#include "libvox/base/geometry.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/voxelize/flood.h"

namespace vox::voxelize {

inline constexpr double kUsualSeal = 1.6;

struct Walker {
  double height = 1.6, radius = 0.2;  // in the unit of voxel_size; the height is at least twice the radius
};

struct WalkSpace {
  Vec3d seed = {0, 0, 0};             // in voxels
  VoxelSize voxel_size = 1;           // the unit of `seal` and `walker`
  std::optional<double> seal = {};    // fill what is outside
  std::optional<Walker> walker = {};  // fill what this walker does not reach
  uint64_t memory_limit = 0;          // as for dag_of_cubes()
};

// The voxels that are filled get `material`; the others stay as they are. The scene's box is that of its filled voxels,
// and of the walker at the seed, within the grid. The walker's middle stays in this box. Throws Error if the seed is
// reached from outside, or if the walker does not fit there.
FloodedScene unreachable_filled(const dag::FrozenDag& dag, uint8_t material, const WalkSpace& space);

}  // namespace vox::voxelize
