// The outline of a NanoVDB tree for a scene: its nodes and the number of nodes below each. They are counted
// before the first node is written, because nodes point to later nodes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "formats/voxels/export.h"
#include "formats/voxels/nanovdb/nvdb_file.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/dag/walk.h"

namespace vox::nvdb {

// A cube of the grid that a node or a tile of the tree stands for, with the scene's content.
struct TreeCell {
  Int3 corner;
  const uint32_t* node =
      nullptr;            // the scene's node that fills the cube, or that contains the whole scene if the
                          // scene is smaller; null if the cube lies in a larger homogeneous node
  uint32_t level = 0;     // the level of `node`
  uint32_t material = 0;  // valid without `node`, or if that is homogeneous
  bool solid = false;     // true if the whole cube has this material
};

// Nodes that are full of one material become tiles, or leaves if their voxels have colors of their own.
enum class FullNodes { AreTiles, AreLeaves };

// Calls visit(cell) for the cubes of this side that may contain voxels of the region, in Morton order.
template <class Visit>
void for_each_tree_cell(const dag::FrozenDag& dag, const VoxelBox& region, int32_t side, FullNodes full,
                        Visit visit) {
  dag::for_each_node(dag, region, [&](uint32_t level, Int3 corner, const uint32_t* node) {
    const auto node_side = static_cast<int32_t>(dag.level_side(level));
    if (full == FullNodes::AreTiles && level < dag.depth() && dag::is_homogeneous(*node)) {
      const VoxelBox box = intersection(cube_at(corner, dag.level_side(level)), region);
      const uint32_t material = dag::homogeneous_material(*node);
      const auto down = [side](int32_t v) { return v / side * side; };
      for (int32_t z = down(box.min.z); z < box.max.z; z += side)
        for (int32_t y = down(box.min.y); y < box.max.y; y += side)
          for (int32_t x = down(box.min.x); x < box.max.x; x += side) {
            const VoxelBox cube = cube_at({x, y, z}, static_cast<uint32_t>(side));
            visit(TreeCell{cube.min, nullptr, 0, material, intersection(cube, box) == cube});
          }
      return false;
    }
    if (node_side > side) return true;
    visit(TreeCell{corner, node, level, 0, false});
    return false;
  });
}

// A leaf of the tree: 8³ voxels, made of up to eight leaves of the scene.
struct LeafCell {
  Int3 corner;
  std::array<uint64_t, 8> masks = {};          // for each octant, with bits as in dag::leaf_mask()
  std::array<const uint32_t*, 8> leaves = {};  // the leaves that have the materials; null: `material` holds
  uint32_t material = 0;
};

LeafCell leaf_cell(const dag::FrozenDag& dag, const VoxelBox& region, const TreeCell& cell);

// The active voxels of a node. The box is empty if there are none.
struct ActiveVoxels {
  VoxelBox box = {};
  uint64_t count = 0;
  uint32_t materials = 0;  // a bit for each material that occurs, if requested

  void add(const ActiveVoxels& other) {
    if (other.count == 0) return;
    box = count == 0 ? other.box : hull(box, other.box);
    count += other.count;
    materials |= other.materials;
  }
};

// A node of 128³.
struct LowerNode {
  Int3 corner;
  ActiveVoxels active = {};
  uint32_t leaves = 0, tiles = 0;
  uint64_t leaf_voxels = 0;
  uint64_t first_leaf = 0;   // the number of its first leaf in the tree
  uint64_t first_value = 0;  // in an index grid, which numbers tiles and leaves' voxels in the order of cells
  uint64_t values() const { return leaf_voxels + tiles; }
};

// A node of 4096³, or a tile of that size.
struct UpperNode {
  Int3 corner;
  bool solid = false;
  uint32_t material = 0;
  uint64_t number = 0;  // its number among the nodes
  ActiveVoxels active = {};
  uint64_t first_lower = 0, lowers = 0;
  uint64_t first_value = 0, tiles = 0;  // one value for each tile, or one for a solid node
};

struct TreeOutline {
  VoxelBox region = {};
  FullNodes full = FullNodes::AreTiles;
  std::vector<UpperNode> uppers = {};  // in the order of the root's keys; solid nodes are tiles
  std::vector<LowerNode> lowers = {};
  ActiveVoxels active = {};
  uint64_t upper_nodes = 0, leaves = 0;
  std::array<uint64_t, 3> tiles = {};  // the numbers of tiles of 8³, 128³, 4096³
  uint64_t values = 1;                 // number of an index grid's values; the first is the background
};

enum class CountMaterials { No, Yes };

TreeOutline outline_of(const dag::FrozenDag& dag, const VoxelBox& region, CountMaterials materials,
                       FullNodes full = FullNodes::AreTiles);

// Makes the bytes of a NanoVDB tree for a scene, node by node.

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

  // These return the positions at which nodes begin, from the tree's head.
  uint64_t root_at() const { return sizeof(TreeHead); }
  uint64_t uppers_at() const { return root_at() + root_bytes(); }
  uint64_t lowers_at() const { return uppers_at() + tree_.upper_nodes * shape_.inner_bytes(kUpperEntries); }
  uint64_t leaves_at() const { return lowers_at() + tree_.lowers.size() * shape_.inner_bytes(kLowerEntries); }
  uint64_t end() const { return leaves_at() + tree_.leaves * leaf_bytes(); }

  NodeBytes root() const;
  NodeBytes upper(const UpperNode& upper) const;
  NodeBytes lower(const LowerNode& lower, uint64_t number) const;
  NodeBytes leaves(const LowerNode& lower) const;

  // These return the materials of an index grid's values: first for the background and all tiles of 4096³
  // and 128³, then for each node of 128³.
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
  std::optional<dag::LeafColors> colors_;
};

// Returns a box in the file's form, which includes the last voxel. If there are no voxels, the ends are
// swapped.
std::array<int32_t, 6> inclusive_box(const ActiveVoxels& active);

// Writes the parts of a .nvdb file that stand before and behind the nodes of its grid.

// An array beside the tree. An array that is written in pieces has no bytes here.
struct BlindArray {
  BlindRecord record;
  NodeBytes bytes = {};
};

BlindArray blind_array(const char* name, uint64_t count, uint32_t value_bytes);
BlindArray palette_array(const scene::Palette& palette);
BlindArray text_array(const dag::VoxelScene& scene);

// Returns the key of a root's entry.
inline uint64_t root_key(Int3 corner) {
  const auto part = [](int32_t v) { return uint64_t{static_cast<uint32_t>(v) / uint32_t{kUpperSide}}; };
  return part(corner.x) << 42 | part(corner.y) << 21 | part(corner.z);
}
inline void set_bit(NodeBytes& bytes, uint64_t mask_at, uint32_t bit) {
  bytes[mask_at + bit / 8] = static_cast<uint8_t>(bytes[mask_at + bit / 8] | 1u << bit % 8);
}

struct NvdbGridFacts {
  std::string name;
  uint32_t version = 0, flags = 0;
  GridType type = GridType::Float;
  GridClass grid_class = GridClass::Unknown;
  ActiveVoxels active = {};
  std::array<uint32_t, 3> nodes = {}, tiles = {};  // of 8³, 128³, 4096³
  std::array<uint64_t, 3> first = {};              // where those nodes begin, from the tree's head
  uint64_t end = 0;                                // of the nodes, from the tree's head
  uint64_t values = 0;                             // in an index grid
  NodeBytes root = {};                             // follows the tree's head
  std::vector<BlindArray> arrays = {};             // the scene's description is the last one
};

// Sets the places of the arrays beside the tree, and writes the file up to the grid's first node. The resolution and the
// place of the scene count, not its voxels.
class NvdbHeads {
 public:
  NvdbHeads(const dag::VoxelScene& scene, NvdbGridFacts facts);
  uint64_t bytes() const { return file_head().size() + grid_bytes_; }
  void write(ExportFile& file) const;
  // Calls write_pieces() in place of writing an array that has no bytes here.
  template <class WritePieces>
  void write_arrays(ExportFile& file, const WritePieces& write_pieces) const {
    for (const BlindArray& array : facts_.arrays) {
      NodeBytes record(sizeof(BlindRecord));
      put_at(record, 0, array.record);
      file.write(record);
    }
    for (const BlindArray& array : facts_.arrays) {
      const uint64_t bytes = array.record.count * array.record.value_bytes;
      if (array.bytes.empty() && bytes > 0) write_pieces();
      file.write(array.bytes);
      file.write(NodeBytes(align_up(bytes) - bytes));
    }
  }

 private:
  uint64_t blind_at() const { return sizeof(GridHead) + facts_.end; }
  NodeBytes file_head() const;
  NodeBytes grid_head() const;

  const dag::VoxelScene& scene_;
  NvdbGridFacts facts_;
  uint64_t grid_bytes_ = 0;
};

}  // namespace vox::nvdb
