// The normal of the surface that voxels stand for, estimated from what is filled around a hit.
//
// Faces of voxels have six normals, whose pattern shows where a pixel is wider than a voxel. So one looks at the
// 4³ cells around the hit, voxels or the halves of the node that was hit: of the empty ones, those that are
// reached from in front of the face, cell by cell, lie outside. Where they lie is the normal. What is behind a
// thin wall is not reached, and does not count; solid and hollow things have the same normals.
#pragma once

#include "libvox/edit/leaf_faces.h"
#include "libvox/render/cells_around.h"
#include "libvox/render/trace.h"

namespace vox::render {

// The side of the cells that a hit's normal is estimated of, as a log2.
VOX_HD inline uint32_t log2_normal_cell(const Hit& hit) {
  return hit.log2 == 0 ? 0 : hit.log2 - 1;
}

namespace detail {

// All of the 4³ cells but the eight at the corners: a ball has no directions of its own.
constexpr uint64_t round_cells() {
  uint64_t cells = ~uint64_t{0};
  for (uint32_t corner = 0; corner < 8; ++corner)
    cells &= ~(uint64_t{1} << cube_bit(corner & 1 ? 3 : 0, corner & 2 ? 3 : 0, corner & 4 ? 3 : 0));
  return cells;
}

// The sum of the places of these cells along an axis, in halves of a cell from the middle: −3, −1, 1 or 3 each.
VOX_HD inline int32_t places_along(uint64_t cells, uint32_t axis) {
  return 2 * popcount(cells & ~even_voxels(axis)) + 4 * popcount(cells & ~lower_voxels(axis)) -
         3 * popcount(cells);
}

// The cells of a mask that are reached from one of them, cell by cell.
VOX_HD inline uint64_t reached_from(uint64_t first, uint64_t mask) {
  uint64_t reached = first;
  for (uint64_t before = 0; reached != before;) {
    before = reached;
    for (uint32_t axis = 0; axis < 3; ++axis) reached |= edit::beside(reached, axis) & mask;
  }
  return reached;
}

}  // namespace detail

// Where, of 4³ cells, those lie that are empty and reached from `front`: a vector of any length; 0 where the front
// is filled, or they lie on all sides.
VOX_HD inline Int3 outward(uint64_t filled, Int3 front) {
  const uint64_t first = uint64_t{1} << cube_bit(front);
  if ((filled & first) != 0) return {0, 0, 0};
  const uint64_t outside = detail::reached_from(first, ~filled) & detail::round_cells();
  return {detail::places_along(outside, 0), detail::places_along(outside, 1),
          detail::places_along(outside, 2)};
}

// The normal at a hit, as the cells of this size around it tell: a vector of any length; 0 where they do not.
// `face` is the normal of the face that was hit, at `point`.
VOX_HD inline Int3 normal_of_cells(const RayDagRef& dag, const Hit& hit, Int3 face, FinePoint point,
                                   uint32_t log2_cell) {
  Int3 behind, front;  // the cells on both sides of the face
  for (uint32_t axis = 0; axis < 3; ++axis) {
    if (face[axis] > 0) {
      behind[axis] = (hit.high[axis] - 1) >> log2_cell;
      front[axis] = hit.high[axis] >> log2_cell;
    } else if (face[axis] < 0) {
      behind[axis] = hit.low[axis] >> log2_cell;
      front[axis] = (hit.low[axis] - 1) >> log2_cell;
    } else {
      const auto voxel = static_cast<int32_t>(point[axis] >> kFineBits);
      const int32_t last = hit.high[axis] - 1;
      behind[axis] = (voxel < hit.low[axis] ? hit.low[axis] : voxel > last ? last : voxel) >> log2_cell;
      front[axis] = behind[axis];
    }
  }
  const Int3 corner = {(behind.x + 1) & ~1, (behind.y + 1) & ~1, (behind.z + 1) & ~1};
  const Int3 first = corner - Int3{2, 2, 2};
  const uint64_t filled = cells_around(dag, corner, log2_cell);
  // The cell in front may hold something that the ray passed by: then the next one is taken. `further` is in
  // the 4³ cells where no part of it is below 0 or above 3.
  const Int3 from = front - first, further = from + face;
  if ((filled >> cube_bit(from) & 1) == 0) return outward(filled, from);
  const bool is_known = (static_cast<uint32_t>(further.x | further.y | further.z) & ~3u) == 0;
  return is_known ? outward(filled, further) : Int3{0, 0, 0};
}

// The normal at a hit, likewise. Where nothing is empty before the face, cells twice as wide are asked.
VOX_HD inline Int3 smooth_normal(const RayDagRef& dag, const Hit& hit, Int3 face, FinePoint point) {
  const uint32_t log2 = log2_normal_cell(hit);
  const Int3 normal = normal_of_cells(dag, hit, face, point, log2);
  return normal != Int3{0, 0, 0} || log2 + 2 > dag.log2_side
             ? normal
             : normal_of_cells(dag, hit, face, point, log2 + 1);
}

}  // namespace vox::render
