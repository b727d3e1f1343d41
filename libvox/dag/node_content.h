// The facts about a node's voxels that its parent needs, to check that headers are canonical and that no
// voxel lies outside the grid.
#pragma once

#include <cstdint>

#include "libvox/base/vec.h"
#include "libvox/dag/node.h"

namespace vox::dag {

struct NodeContent {
  Vec3<uint32_t> reach = {0, 0, 0};  // 1 + largest x, y, z of a filled voxel within the node
  int32_t material = -1;             // the material if the node is full and has only one, else -1
};
static_assert(sizeof(NodeContent) == 16);

// The leaf must have voxels.
VOX_HD inline NodeContent leaf_content(const uint32_t* leaf, bool materials) {
  const Int3 end = leaf_bounds(leaf_mask(leaf)).max;
  return {{static_cast<uint32_t>(end.x), static_cast<uint32_t>(end.y), static_cast<uint32_t>(end.z)},
          leaf_filling(leaf, materials)};
}

// child_content(i) returns the content of the i-th present child. The node must have a child.
template <class ChildContent>
VOX_HD NodeContent node_content(uint32_t header, uint32_t child_side, const ChildContent& child_content) {
  NodeContent content;
  uint32_t i = 0;
  for (uint32_t child = 0; child < 8; ++child) {
    if ((header >> child & 1) == 0) continue;
    const NodeContent below = child_content(i);
    const Int3 corner = octant_corner(child, static_cast<int32_t>(child_side));
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const uint32_t reach = static_cast<uint32_t>(corner[axis]) + below.reach[axis];
      if (reach > content.reach[axis]) content.reach[axis] = reach;
    }
    content.material = i == 0 || content.material == below.material ? below.material : -1;
    ++i;
  }
  if (child_mask(header) != 0xff) content.material = -1;
  return content;
}

// Returns the canonical header of a node with these children and this content.
VOX_HD inline uint32_t canonical_header(uint32_t children, const NodeContent& content) {
  return content.material < 0 ? children : homogeneous_header(static_cast<uint32_t>(content.material));
}

}  // namespace vox::dag
