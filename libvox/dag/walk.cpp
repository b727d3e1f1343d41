#include "libvox/dag/walk.h"

namespace vox::dag {
namespace {

// Returns the voxels of a leaf whose coordinate along the axis is in [begin, end). Both may lie outside the
// leaf.
uint64_t planes(uint32_t axis, int32_t begin, int32_t end) {
  uint64_t mask = 0;
  for (int32_t at = 0; at < int32_t{kLeafSide}; ++at)
    if (begin <= at && at < end) mask |= plane_voxels(axis, static_cast<uint32_t>(at));
  return mask;
}

}  // namespace

uint64_t leaf_mask_inside(Int3 corner, const VoxelBox& region) {
  VoxelBox leaf = cube_at(corner, kLeafSide);
  if (intersection(leaf, region) == leaf) return ~uint64_t{0};
  const Int3 begin = region.min - corner, end = region.max - corner;
  uint64_t mask = ~uint64_t{0};
  for (uint32_t axis = 0; axis < 3; ++axis) mask &= planes(axis, begin[axis], end[axis]);
  return mask;
}

}  // namespace vox::dag
