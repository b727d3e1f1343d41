// Makes the bytes of a NanoVDB tree for a scene, node by node.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "formats/voxels/nanovdb/nvdb_layout.h"
#include "formats/voxels/nanovdb/nvdb_tree.h"
#include "formats/voxels/nanovdb/nvdb_writer.h"
#include "libvox/dag/voxel_scene.h"

namespace vox::nvdb {

using NodeBytes = std::vector<uint8_t>;

template <class T>
void put_at(NodeBytes& bytes, uint64_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

class TreeNodes {
 public:
  // The scene and the tree must outlive the object.
  TreeNodes(const dag::VoxelScene& scene, NvdbGrid grid, const TreeOutline& tree);

  bool is_index() const { return grid_ == NvdbGrid::Index || grid_ == NvdbGrid::OnIndex; }
  GridType type() const;
  const NodeShape& shape() const { return shape_; }

  // The positions at which nodes begin, from the tree's head.
  uint64_t root_at() const { return sizeof(TreeHead); }
  uint64_t uppers_at() const { return root_at() + root_bytes(); }
  uint64_t lowers_at() const { return uppers_at() + tree_.upper_nodes * shape_.inner_bytes(kUpperEntries); }
  uint64_t leaves_at() const { return lowers_at() + tree_.lowers.size() * shape_.inner_bytes(kLowerEntries); }
  uint64_t end() const { return leaves_at() + tree_.leaves * leaf_bytes(); }

  NodeBytes root() const;
  NodeBytes upper(const UpperNode& upper) const;
  NodeBytes lower(const LowerNode& lower, uint64_t number) const;
  NodeBytes leaves(const LowerNode& lower) const;

  // Return the materials of an index grid's values: first those of the background and all tiles of 4096³ and
  // 128³, then those of each node of 128³.
  NodeBytes first_materials() const;
  NodeBytes materials(const LowerNode& lower) const;

 private:
  uint64_t root_bytes() const { return shape_.root_bytes() + tree_.uppers.size() * shape_.root_tile_bytes(); }
  uint64_t leaf_bytes() const;
  void put_value(NodeBytes& bytes, uint64_t at, uint32_t material, uint64_t index) const;
  void put_min_max(NodeBytes& bytes, uint64_t at, uint32_t materials) const;
  void put_inner_head(NodeBytes& bytes, const ActiveVoxels& active, uint32_t entries) const;
  void put_leaf(NodeBytes& bytes, uint64_t at, const LeafCell& cell, uint64_t index) const;
  void put_codes(uint8_t* to, const LeafCell& cell, LeafHead& head) const;
  void put_colors(uint8_t* to, const LeafCell& cell) const;

  template <class Body>
  void for_each_voxel(const LeafCell& cell, Body body) const;
  template <class OnTile, class OnLeaf>
  void for_each_cell(const LowerNode& lower, OnTile on_tile, OnLeaf on_leaf) const;

  const dag::VoxelScene& scene_;
  const NvdbGrid grid_;
  const TreeOutline& tree_;
  const NodeShape shape_;
};

// Returns a box in the file's form, which includes the last voxel; if there are no voxels, its ends are
// swapped.
std::array<int32_t, 6> inclusive_box(const ActiveVoxels& active);

}  // namespace vox::nvdb
