#include "libvox/dag/walk.h"

#include <array>

namespace vox {
namespace {

// Masks of the four planes of voxels across each axis. Bits 0 and 3 of a Morton index are x, 1 and 4 y, 2 and
// 5 z.
constexpr std::array<std::array<uint64_t, 4>, 3> make_planes() {
  std::array<std::array<uint64_t, 4>, 3> planes = {};
  for (uint32_t bit = 0; bit < 64; ++bit)
    for (uint32_t axis = 0; axis < 3; ++axis)
      planes[axis][(bit >> axis & 1) | (bit >> (axis + 3) & 1) << 1] |= uint64_t{1} << bit;
  return planes;
}
constexpr auto kPlanes = make_planes();

uint64_t slab(const std::array<uint64_t, 4>& planes, int32_t begin, int32_t end) {
  uint64_t mask = 0;
  for (int32_t i = 0; i < 4; ++i)
    if (begin <= i && i < end) mask |= planes[static_cast<size_t>(i)];
  return mask;
}

struct Range {
  int32_t begin, end;
};

Range filled_planes(const std::array<uint64_t, 4>& planes, uint64_t mask) {
  Range range = {0, 4};
  while ((mask & planes[static_cast<size_t>(range.begin)]) == 0) ++range.begin;
  while ((mask & planes[static_cast<size_t>(range.end - 1)]) == 0) --range.end;
  return range;
}

}  // namespace

uint64_t leaf_mask_inside(Int3 corner, const VoxelBox& region) {
  VoxelBox leaf = cube_at(corner, kLeafSide);
  if (intersection(leaf, region) == leaf) return ~uint64_t{0};
  Int3 begin = region.min - corner, end = region.max - corner;
  return slab(kPlanes[0], begin.x, end.x) & slab(kPlanes[1], begin.y, end.y) &
         slab(kPlanes[2], begin.z, end.z);
}

VoxelBox leaf_bounds(uint64_t mask) {
  Range x = filled_planes(kPlanes[0], mask), y = filled_planes(kPlanes[1], mask),
        z = filled_planes(kPlanes[2], mask);
  return {{x.begin, y.begin, z.begin}, {x.end, y.end, z.end}};
}

}  // namespace vox
