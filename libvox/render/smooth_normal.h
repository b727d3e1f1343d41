// Estimates the normal of the surface that voxels represent, from the cells around a hit.
//
// Faces of voxels have only six normals, whose pattern becomes visible when a pixel is wider than a voxel. So
// the 4³ cells around the hit are examined. They are voxels, or half as wide as the node that was hit. Empty
// cells that can be reached, cell by cell, from the front of the face lie outside. The direction towards them
// is the normal. Cells behind a thin wall are not reached and do not count, so that solid and hollow things
// have the same normals.
#pragma once

#include "libvox/edit/leaf_faces.h"
#include "libvox/render/ray_dag.h"
#include "libvox/render/trace.h"

namespace vox::render {

namespace detail {

// These functions find which of 4³ cells around a place are filled. Cells are voxels or wider.

// Returns which eighths of a cube hold something: a node's child mask, or a part of a leaf's mask. The cube
// has a side of 2^log2 voxels, log2 >= 1, and contains `voxel`. The walk begins at `node`, of 2^log2_node
// voxels a side, which contains the cube.
template <class Dag>
VOX_HD uint32_t filled_eighths(const Dag& dag, typename Dag::Node node, uint32_t log2_node, Int3 voxel,
                               uint32_t log2) {
  for (uint32_t at = log2_node; at > log2 && at > dag::kLeafLog2;) {
    const uint32_t header = dag.header(node);
    if (dag::is_homogeneous(header)) return 0xff;
    --at;
    const uint32_t octant = octant_at(voxel, at);
    if ((dag::child_mask(header) >> octant & 1) == 0) return 0;
    node = dag.child_in(at, node, header, octant);
  }
  if (log2 > dag::kLeafLog2) return dag::child_mask(dag.header(node));
  const uint64_t mask = dag.leaf(node);
  if (log2 == dag::kLeafLog2) return dag::filled_blocks(mask);
  return static_cast<uint32_t>(mask >> 8 * octant_at(voxel, 1)) & 0xff;
}

}  // namespace detail

// Returns which of the 4³ cells around a corner hold something, as the mask of a leaf. Cells are 2^log2_cell
// voxels wide. The corner is given in cells, and its coordinates are even. Outside of the scene's cube
// nothing is filled.
template <class Dag>
VOX_HD uint64_t cells_around(const Dag& dag, Int3 corner, uint32_t log2_cell) {
  const uint32_t log2_block =
      log2_cell + 1;  // the cells are eight blocks of 2³, each the eighths of one cube
  const Int3 high = {corner.x >> 1, corner.y >> 1, corner.z >> 1}, low = high - Int3{1, 1, 1};
  const auto blocks = static_cast<uint32_t>(1 << (dag.log2_side - log2_block));
  const auto is_inside = [blocks](int32_t at) { return static_cast<uint32_t>(at) < blocks; };
  const auto different = static_cast<uint32_t>((high.x ^ low.x) | (high.y ^ low.y) | (high.z ^ low.z));
  // The walks to the blocks begin at the smallest node that contains all of them.
  uint32_t log2_around = log2_block + 1 + static_cast<uint32_t>(highest_bit(different));
  if (log2_around > dag.log2_side) log2_around = dag.log2_side;
  const auto voxel_of = [log2_block](Int3 block) {
    return Int3{block.x << log2_block, block.y << log2_block, block.z << log2_block};
  };
  const auto around = dag.node_at(voxel_of(high), log2_around);
  if (around == nullptr) return 0;
  uint64_t filled = 0;
  for (uint32_t octant = 0; octant < 8; ++octant) {
    const Int3 block = low + octant_place(octant);
    if (!is_inside(block.x) || !is_inside(block.y) || !is_inside(block.z)) continue;
    filled |= uint64_t{detail::filled_eighths(dag, around, log2_around, voxel_of(block), log2_block)}
              << 8 * octant;
  }
  return filled;
}

// Returns log2 of the side of the cells from which a hit's normal is estimated.
VOX_HD inline uint32_t log2_normal_cell(const HitBox& hit) {
  return hit.log2 == 0 ? 0 : hit.log2 - 1;
}

namespace detail {

// Returns all of the 4³ cells except the eight at the corners, because a ball prefers no direction.
constexpr uint64_t round_cells() {
  uint64_t cells = ~uint64_t{0};
  for (uint32_t corner = 0; corner < 8; ++corner)
    cells &= ~(uint64_t{1} << cube_bit(corner & 1 ? 3 : 0, corner & 2 ? 3 : 0, corner & 4 ? 3 : 0));
  return cells;
}

// Returns the sum of the places of these cells along an axis, in halves of a cell from the middle: −3, −1, 1
// or 3 each.
VOX_HD inline int32_t places_along(uint64_t cells, uint32_t axis) {
  return 2 * popcount(cells & ~even_voxels(axis)) + 4 * popcount(cells & ~lower_voxels(axis)) -
         3 * popcount(cells);
}

// Returns the cells of `mask` that can be reached from `first`, cell by cell.
VOX_HD inline uint64_t reached_from(uint64_t first, uint64_t mask) {
  uint64_t reached = first;
  for (uint64_t before = 0; reached != before;) {
    before = reached;
    for (uint32_t axis = 0; axis < 3; ++axis) reached |= edit::beside(reached, axis) & mask;
  }
  return reached;
}

}  // namespace detail

// Returns the direction in which the empty cells that can be reached from `front` lie, among 4³ cells, as a
// vector of any length. It is 0 if the front is filled, or if these cells lie on all sides.
VOX_HD inline Int3 outward(uint64_t filled, Int3 front) {
  const uint64_t first = uint64_t{1} << cube_bit(front);
  if ((filled & first) != 0) return {0, 0, 0};
  const uint64_t outside = detail::reached_from(first, ~filled) & detail::round_cells();
  return {detail::places_along(outside, 0), detail::places_along(outside, 1),
          detail::places_along(outside, 2)};
}

namespace detail {

// Follows a ray back from its hit, in steps of half a cell along its longest axis.
class WayBack {
 public:
  VOX_HD WayBack(const Course& course, FinePoint point, uint32_t log2_cell)
      : point_(point), step_{}, log2_cell_(log2_cell) {
    const float half = power_of_two(static_cast<int32_t>(kFineBits + log2_cell) - 1);
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const auto part = static_cast<int64_t>(course.slope[axis] * half);
      step_[axis] = (course.mirrored >> axis & 1) != 0 ? part : -part;
    }
  }
  VOX_HD void step() { point_ = point_ + step_; }
  VOX_HD Int3 cell() const { return {cell_of(point_.x), cell_of(point_.y), cell_of(point_.z)}; }

 private:
  VOX_HD int32_t cell_of(int64_t at) const { return static_cast<int32_t>(at >> (kFineBits + log2_cell_)); }

  FinePoint point_, step_;
  uint32_t log2_cell_;
};

struct CellsAtHit {
  Int3 behind, front;  // the cells on both sides of the face that was hit
};

VOX_HD inline CellsAtHit cells_at(const HitBox& hit, Int3 face, FinePoint point, uint32_t log2_cell) {
  CellsAtHit cells;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const int32_t low = hit.low[axis], last = hit.high[axis] - 1;
    const auto voxel = static_cast<int32_t>(point[axis] >> kFineBits);
    const int32_t inside = face[axis] > 0   ? last
                           : face[axis] < 0 ? low
                           : voxel < low    ? low
                           : voxel > last   ? last
                                            : voxel;
    cells.behind[axis] = inside >> log2_cell;
    cells.front[axis] = (face[axis] != 0 ? inside + face[axis] : inside) >> log2_cell;
  }
  return cells;
}

}  // namespace detail

// Returns the normal at a hit, estimated from cells of this size around it, as a vector of any length. It is
// 0 if the cells do not show a direction. `face` is the normal of the face that was hit, at `point`, by a
// ray on this course.
//
// The last empty cell that the ray passed is outside for certain. This is usually the cell in front of the
// face. But a cell that is wider than a voxel may hold something that the ray passed by. Then the ray is
// followed back, through the cells around the face, and then through those around the place where it entered
// them.
template <class Dag>
VOX_HD Int3 normal_of_cells(const Dag& dag, const HitBox& hit, Int3 face, const Course& course,
                            FinePoint point, uint32_t log2_cell) {
  constexpr int kBlocks = 3, kSteps = 8;  // at most eight steps of half a cell lead out of 4³ cells
  const auto [behind, front] = detail::cells_at(hit, face, point, log2_cell);
  detail::WayBack way(course, point, log2_cell);
  Int3 center = behind, at = front;
  for (int block = 0; block < kBlocks; ++block) {
    const Int3 corner = {(center.x + 1) & ~1, (center.y + 1) & ~1, (center.z + 1) & ~1};
    const uint64_t filled = cells_around(dag, corner, log2_cell);
    for (int step = 0; step < kSteps; ++step) {
      const Int3 place = at - corner + Int3{2, 2, 2};
      if ((static_cast<uint32_t>(place.x | place.y | place.z) & ~3u) != 0) break;
      if ((filled >> cube_bit(place) & 1) == 0) return outward(filled, place);
      way.step();
      at = way.cell();
    }
    center = at;
  }
  return {0, 0, 0};
}

// Returns the normal at a hit. If the cells show no direction, as around a thin pole, cells of twice the
// width are examined.
template <class Dag>
VOX_HD Int3 smooth_normal(const Dag& dag, const HitBox& hit, Int3 face, const Course& course,
                          FinePoint point) {
  const uint32_t log2 = log2_normal_cell(hit);
  const Int3 normal = normal_of_cells(dag, hit, face, course, point, log2);
  return normal != Int3{0, 0, 0} || log2 + 2 > dag.log2_side
             ? normal
             : normal_of_cells(dag, hit, face, course, point, log2 + 1);
}

}  // namespace vox::render
