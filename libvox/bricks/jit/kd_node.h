// A node of the kd tree over bricks, and access to bricks through such a tree in host or device memory.
#pragma once

#include "libvox/bricks/bricks_ref.h"

namespace vox::bricks {

struct KdNode {
  static constexpr uint32_t kLeaf = 3, kMixed = kBrickTypeCount;

  // 4 B: the axis, 0 to 2, or kLeaf, in the low two bits; above them the first brick of the high side.
  uint32_t split = kLeaf;
  // 4 B: the node of the low side, which is followed by that of the high side; in a leaf its type, or kMixed.
  uint32_t next = kMixed;

  VOX_HD uint32_t axis() const { return split & 3; }
  VOX_HD int32_t position() const { return static_cast<int32_t>(split >> 2); }
  VOX_HD bool is_leaf() const { return split == kLeaf; }
};
static_assert(sizeof(KdNode) == 8);

struct KdRef {
  BricksRef bricks;
  const KdNode* nodes;

  VOX_HD KdNode leaf(Int3 place) const {
    KdNode node = nodes[0];
    while (!node.is_leaf()) {
      const int32_t along = node.axis() == 0 ? place.x : node.axis() == 1 ? place.y : place.z;
      node = nodes[node.next + (along < node.position() ? 0 : 1)];
    }
    return node;
  }

  // Returns the word of a voxel of the volume.
  template <class T>
  VOX_HD T get(Int3 voxel) const {
    const Int3 place = bricks.place_of(voxel);
    const uint32_t type = leaf(place).next;
    if (type == BrickTypes::kNumber<EmptyBrick>) return 0;
    BricksRef::Entry entry = bricks.entry(bricks.index(place));
    if (type != KdNode::kMixed) entry.type = type;
    return bricks.get<T>(entry, voxel);
  }
};

}  // namespace vox::bricks
