// The box around the voxels of a node. A ray hits this box if it goes no deeper than the node.
//
// The node's cube would stand out in front of the surfaces in it, so that a wall would be in another place
// where rays go less deep. The box lies flush: around a wall along an axis, the box is the wall itself.
#pragma once

#include "libvox/base/vec.h"
#include "libvox/dag/node.h"

namespace vox::render {

// A box in voxels, relative to the node's corner; `high` is excluded.
struct NodeBox {
  Int3 low, high;
};

// A box in 60 bits: ten each for the lowest x, y, z and for the last voxel along x, y, z, from the lowest bit
// up. The numbers count voxels. In nodes wider than 1024 voxels they count cubes, of the smallest side for
// which ten bits are enough, and the box is at most a 1024th of the node larger.
using PackedBox = uint64_t;

VOX_HD inline uint32_t packed_shift(uint32_t log2_side) {
  return log2_side > 10 ? log2_side - 10 : 0;
}

VOX_HD inline PackedBox packed(const NodeBox& box, uint32_t log2_side) {
  const uint32_t shift = packed_shift(log2_side);
  const auto part = [shift](int32_t voxel, uint32_t bit) {
    return static_cast<PackedBox>(static_cast<uint32_t>(voxel) >> shift) << bit;
  };
  return part(box.low.x, 0) | part(box.low.y, 10) | part(box.low.z, 20) | part(box.high.x - 1, 30) |
         part(box.high.y - 1, 40) | part(box.high.z - 1, 50);
}

VOX_HD inline NodeBox unpacked(PackedBox box, uint32_t log2_side) {
  const uint32_t shift = packed_shift(log2_side);
  const auto part = [=](uint32_t bit, int32_t more) {
    return (static_cast<int32_t>(box >> bit & 1023) + more) << shift;
  };
  return {{part(0, 0), part(10, 0), part(20, 0)}, {part(30, 1), part(40, 1), part(50, 1)}};
}

// Returns the box around a leaf's voxels. The mask must not be 0.
VOX_HD inline NodeBox leaf_box(uint64_t mask) {
  const VoxelBox box = dag::leaf_bounds(mask);
  return {box.min, box.max};
}

}  // namespace vox::render
