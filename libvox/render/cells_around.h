// Finds which cells around a place of a scene are filled: 4³ cells of the DAG, either voxels or wider cells.
#pragma once

#include "libvox/render/ray_dag.h"

namespace vox::render {

namespace detail {

// Returns which eighths of a cube hold something: a node's child mask, or a part of a leaf's mask. The cube
// has a side of 2^log2 voxels, log2 >= 1, and contains `voxel`. The walk begins at `node`, of 2^log2_node
// voxels a side, which contains the cube.
VOX_HD inline uint32_t filled_eighths(const RayDagRef& dag, const uint32_t* node, uint32_t log2_node,
                                      Int3 voxel, uint32_t log2) {
  for (uint32_t at = log2_node; at > log2 && at > dag::kLeafLog2;) {
    if (dag::is_homogeneous(node[0])) return 0xff;
    --at;
    const uint32_t octant = octant_at(voxel, at);
    if ((dag::child_mask(node[0]) >> octant & 1) == 0) return 0;
    node = dag.nodes[at] + node[dag::child_word(node[0], octant)];
  }
  if (log2 > dag::kLeafLog2) return dag::child_mask(node[0]);
  const uint64_t mask = dag::leaf_mask(node);
  if (log2 == dag::kLeafLog2) return dag::filled_blocks(mask);
  return static_cast<uint32_t>(mask >> 8 * octant_at(voxel, 1)) & 0xff;
}

}  // namespace detail

// Returns which of the 4³ cells around a corner hold something, as the mask of a leaf. Cells are 2^log2_cell
// voxels wide. The corner is given in cells, and its coordinates are even. Outside of the scene's cube
// nothing is filled.
VOX_HD inline uint64_t cells_around(const RayDagRef& dag, Int3 corner, uint32_t log2_cell) {
  const uint32_t log2_block =
      log2_cell + 1;  // the cells are eight blocks of 2³, each the eighths of one cube
  const Int3 high = {corner.x >> 1, corner.y >> 1, corner.z >> 1}, low = high - Int3{1, 1, 1};
  const auto blocks = static_cast<uint32_t>(1 << (dag.log2_side - log2_block));
  const auto is_inside = [blocks](int32_t at) { return static_cast<uint32_t>(at) < blocks; };
  const auto different = static_cast<uint32_t>((high.x ^ low.x) | (high.y ^ low.y) | (high.z ^ low.z));
  // The walks to the blocks begin at the node that contains all of them.
  uint32_t log2_around = log2_block + 1 + static_cast<uint32_t>(highest_bit(different));
  if (log2_around > dag.log2_side) log2_around = dag.log2_side;
  const auto voxel_of = [log2_block](Int3 block) {
    return Int3{block.x << log2_block, block.y << log2_block, block.z << log2_block};
  };
  const uint32_t* around = dag.node_at(voxel_of(high), log2_around);
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

}  // namespace vox::render
