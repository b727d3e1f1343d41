// The order of the eight parts of a cube of 2³ and of the voxels of a cube of 4³: Morton order, x lowest.
// This order is defined here alone. Whole grids are ordered in the same way by morton.h.
//
//   2³   octant z y x: child masks and child pointers of nodes, and each byte of a mask of 4³
//   4³   bit z1 y1 x1 z0 y0 x0: masks of leaves and of lattices; bit 8 · o + p is part p of octant o
//
// An axis is 0, 1 or 2 for x, y or z.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"

namespace vox {

// --- a cube of 2³ ---

// The octant at these coordinates, each 0 or 1.
VOX_HD constexpr uint32_t octant_of(uint32_t x, uint32_t y, uint32_t z) {
  return x | y << 1 | z << 2;
}

// The octant that holds the voxel, within the cube of side 2^(log2 + 1) around the voxel.
template <class T>
VOX_HD constexpr uint32_t octant_at(const Vec3<T>& voxel, uint32_t log2) {
  return octant_of(static_cast<uint32_t>(voxel.x >> log2 & 1), static_cast<uint32_t>(voxel.y >> log2 & 1),
                   static_cast<uint32_t>(voxel.z >> log2 & 1));
}

// The coordinates of an octant, each 0 or 1.
VOX_HD constexpr Int3 octant_place(uint32_t octant) {
  return {static_cast<int32_t>(octant & 1), static_cast<int32_t>(octant >> 1 & 1),
          static_cast<int32_t>(octant >> 2)};
}

// The lowest corner of an octant whose side is `side`.
VOX_HD constexpr Int3 octant_corner(uint32_t octant, int32_t side) {
  return {octant & 1 ? side : 0, octant & 2 ? side : 0, octant & 4 ? side : 0};
}

// A mask of the octants whose coordinate on this axis is 0.
VOX_HD constexpr uint32_t lower_octants(uint32_t axis) {
  return axis == 0 ? 0x55 : axis == 1 ? 0x33 : 0x0f;
}

// --- a cube of 4³ ---

// The bit of a voxel, given the two lowest bits of each coordinate.
VOX_HD constexpr uint32_t cube_bit(uint32_t x, uint32_t y, uint32_t z) {
  return (x & 1) | (y & 1) << 1 | (z & 1) << 2 | (x & 2) << 2 | (y & 2) << 3 | (z & 2) << 4;
}
VOX_HD constexpr uint32_t cube_bit(const Int3& voxel) {
  return cube_bit(static_cast<uint32_t>(voxel.x), static_cast<uint32_t>(voxel.y),
                  static_cast<uint32_t>(voxel.z));
}

// The coordinates of the voxel with this bit, 0 to 3 each.
VOX_HD constexpr Int3 cube_place(uint32_t bit) {
  return {static_cast<int32_t>((bit & 1) | (bit >> 2 & 2)),
          static_cast<int32_t>((bit >> 1 & 1) | (bit >> 3 & 2)),
          static_cast<int32_t>((bit >> 2 & 1) | (bit >> 4 & 2))};
}

// A mask of the voxels whose coordinate on this axis is even.
VOX_HD constexpr uint64_t even_voxels(uint32_t axis) {
  return axis == 0 ? 0x5555555555555555ull : axis == 1 ? 0x3333333333333333ull : 0x0f0f0f0f0f0f0f0full;
}
// A mask of the voxels whose coordinate on this axis is below 2.
VOX_HD constexpr uint64_t lower_voxels(uint32_t axis) {
  return axis == 0 ? 0x00ff00ff00ff00ffull : axis == 1 ? 0x0000ffff0000ffffull : 0x00000000ffffffffull;
}
// A mask of the voxels whose coordinate on this axis has the two lowest bits of `at`.
VOX_HD constexpr uint64_t plane_voxels(uint32_t axis, uint32_t at) {
  return ((at & 1) != 0 ? ~even_voxels(axis) : even_voxels(axis)) &
         ((at & 2) != 0 ? ~lower_voxels(axis) : lower_voxels(axis));
}

}  // namespace vox
