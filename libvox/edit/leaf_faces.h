// Moves masks of a leaf's 4³ voxels, one bit each in Morton order, by one voxel.
//
//   bit index   z1 y1 x1 z0 y0 x0
//
// One voxel up along x adds 1 to the bit's index from x = 0 or 2, and 7 from x = 1. From x = 3 it subtracts
// 9, which leads to x = 0 of the neighboring leaf. Along y these distances are doubled, along z they are
// multiplied by four.
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/base/morton.h"
#include "libvox/device/atomics.h"

namespace vox::edit {

// Returns the neighbors of the given voxels on both sides along an axis, as far as they are in the same leaf.
VOX_HD inline uint64_t beside(uint64_t mask, uint32_t axis) {
  const uint64_t even = even_voxels(axis), lower = lower_voxels(axis);
  const uint32_t near = 1u << axis, far = 7u << axis;
  return (mask & even) << near | (mask & ~even & lower) << far | (mask & ~even) >> near |
         (mask & even & ~lower) >> far;
}

// Returns the voxels that the given ones touch in the leaf on the other side of a face. Faces are −x, +x, −y,
// +y, −z, +z.
VOX_HD inline uint64_t across_face(uint64_t mask, uint32_t face) {
  const uint32_t axis = face / 2, all = 9u << axis;
  const uint64_t even = even_voxels(axis), lower = lower_voxels(axis);
  return face & 1 ? (mask & ~even & ~lower) >> all : (mask & even & lower) << all;
}

// Returns the voxels of the mask that can be reached from its lowest voxel, face by face. The mask must not
// be 0.
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

// Disjoint sets that many threads unite at the same time. The least member stands for its set, in whatever
// order the sets are united.
struct DisjointSets {
  uint32_t* parents;  // no parent is greater than its child; at first each member is its own parent

  VOX_HD uint32_t root(uint32_t member) const {
    for (;;) {
      const uint32_t parent = device::atomic_load_relaxed(parents + member);
      if (parent == member) return member;
      const uint32_t above = device::atomic_load_relaxed(parents + parent);
      if (above != parent)
        device::atomic_exchange_if_relaxed(parents + member, parent, above);  // shortens the path
      member = above;
    }
  }

  VOX_HD void unite(uint32_t a, uint32_t b) const {
    for (;;) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      const uint32_t upper = a > b ? a : b, lower = a > b ? b : a;
      if (device::atomic_exchange_if_relaxed(parents + upper, upper, lower) == upper) return;
    }
  }
};

}  // namespace vox::edit
