// Gives the voxels inside a solid materials that depend on their depth below the surface.
//
// The depth of a voxel is the distance between its center and that of the nearest surface voxel. Distances are whole
// numbers, so that comparing them is exact: the sides of a voxel are rounded to 1024ths of the shortest one,
//
//   side(k) = floor(1024 · size(k) / shortest + ½)        depth² = min over surface voxels of Σ (side(k) · steps(k))²
//
// From the root down, each node keeps the surface nodes of its own size that may hold the nearest surface voxel of one of
// its voxels: those that are near enough, and do not lie behind a surface voxel that is nearer to all of the node. If its
// least and its greatest possible depth lie in one shell, all of it is decided at once. What remains are blocks of 8³ voxels
// at the surfaces between shells; they are decided exactly from the few rows of surface voxels that face them, axis by axis
// (Felzenszwalb & Huttenlocher 2012, with all parabolas). So the work is proportional to the surfaces between shells, hardly
// depends on the depth, and no grid is made.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/base/geometry.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::voxelize {

// Depths are in 1024ths of a voxel's shortest side.
inline constexpr uint64_t kDepthUnits = 1024;
inline constexpr uint64_t kMostDepth = uint64_t{1} << 31;

struct Shell {
  uint64_t depth = 0;  // the largest depth of its voxels, at most kMostDepth
  uint8_t material = 0;
};

struct Shells {
  std::vector<Shell> shells;  // from the surface inwards; depths ascend
  uint8_t interior = 0;       // the material of voxels that are deeper than all shells
};

// The DAG must have materials. Voxels of material `inside` are inside; all others are the surface, and stay as they
// are. Each voxel inside gets the material of the first shell whose depth is not less than its own. `memory_limit` is
// passed to HostStore.
dag::FrozenDag with_shells(const dag::FrozenDag& dag, uint8_t inside, const VoxelSize& voxel_size,
                           const Shells& shells, uint64_t memory_limit = 0);

}  // namespace vox::voxelize
