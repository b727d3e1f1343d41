// Masks of a leaf's 4³ voxels, one bit each in Morton order, moved by one voxel at a time.
//
//   bit index   z1 y1 x1 z0 y0 x0
//
// One voxel up along x is + 1 from x = 0 or 2, and + 7 from x = 1; from x = 3 it is − 9, to x = 0 of the leaf
// beside it. Along y all is twice as far, along z four times.
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/cube_order.h"
#include "libvox/base/hd.h"

namespace vox::edit {

// The voxels above and below these along an axis, as far as they are in the same leaf.
VOX_HD inline uint64_t beside(uint64_t mask, uint32_t axis) {
  const uint64_t even = even_voxels(axis), lower = lower_voxels(axis);
  const uint32_t near = 1u << axis, far = 7u << axis;
  return (mask & even) << near | (mask & ~even & lower) << far | (mask & ~even) >> near |
         (mask & even & ~lower) >> far;
}

// The voxels that these touch in the leaf on the other side of a face. Faces are −x, +x, −y, +y, −z, +z.
VOX_HD inline uint64_t across_face(uint64_t mask, uint32_t face) {
  const uint32_t axis = face / 2, all = 9u << axis;
  const uint64_t even = even_voxels(axis), lower = lower_voxels(axis);
  return face & 1 ? (mask & ~even & ~lower) >> all : (mask & even & lower) << all;
}

// The voxels of the mask that are reached from its lowest, face by face. The mask is not 0.
VOX_HD inline uint64_t connected_part(uint64_t mask) {
  uint64_t reached = mask & (~mask + 1);
  for (uint64_t before = 0; reached != before;) {
    before = reached;
    reached |= (beside(reached, 0) | beside(reached, 1) | beside(reached, 2)) & mask;
  }
  return reached;
}

VOX_HD inline uint32_t connected_parts(uint64_t mask) {
  uint32_t count = 0;
  for (; mask != 0; mask &= ~connected_part(mask)) ++count;
  return count;
}

}  // namespace vox::edit
