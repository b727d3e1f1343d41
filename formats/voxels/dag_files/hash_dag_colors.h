// The colours of a scene's voxels in the form of HashDAG's files: one word for each voxel, in the order of a
// depth-first walk through the slots.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "formats/voxels/slot_order.h"
#include "libvox/dag/node_voxels.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Cuts the walk into pieces of bounded size, which can be made in any order.
class HashDagColors {
 public:
  // The scene must have materials and voxels.
  HashDagColors(const dag::VoxelScene& scene, const SlotOrder& order);

  uint64_t voxels() const { return voxels_.at(0, 0); }
  uint64_t pieces() const { return pieces_.size(); }
  std::vector<uint8_t> piece(uint64_t i) const;

 private:
  struct Piece {
    uint32_t level, number;  // a node's
  };
  void cut(Piece node);
  uint8_t* put_node(Piece node, uint8_t* to) const;
  uint8_t* put_leaf(const uint32_t* leaf, uint8_t* to) const;

  // Calls body(node) for the children of a node in the order of slots.
  template <class Body>
  void for_each_child(Piece node, Body body) const;

  const dag::FrozenDag& dag_;
  const SlotOrder& order_;
  const dag::NodeVoxels voxels_;
  std::array<uint32_t, 16> colors_ = {};  // the palette's
  std::vector<Piece> pieces_;
};

}  // namespace vox
