// Checks the boxes of voxels that callers of the C interface pass.
#pragma once

#include "capi/handles.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Returns the box [low, high), or the whole grid if both are NULL. Throws UsageError if the box leaves the grid.
inline VoxelBox region_of(const dag::VoxelScene& scene, const int64_t* low, const int64_t* high) {
  VoxelBox box = cube_at({0, 0, 0}, scene.dag.resolution);
  if (low == nullptr && high == nullptr) return box;
  needed(low, "low");
  needed(high, "high");
  for (uint32_t axis = 0; axis < 3; ++axis) {
    if (low[axis] < 0 || high[axis] < low[axis] || high[axis] > int64_t{scene.dag.resolution})
      throw UsageError(fmt::format("a box from {} to {} along {}, but voxels go from 0 to {}", low[axis],
                                   high[axis], "xyz"[axis], scene.dag.resolution));
    box.min[axis] = static_cast<int32_t>(low[axis]);
    box.max[axis] = static_cast<int32_t>(high[axis]);
  }
  return box;
}

}  // namespace vox
