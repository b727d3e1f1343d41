// What the tree of a NanoVDB file has in it, of a scene: its nodes and how many there are below each, counted before
// the first of them is written, since they point ahead.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "formats/voxels/nanovdb/nvdb_layout.h"
#include "libvox/base/voxel_box.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/walk.h"

namespace vox::nvdb {

// A cube of the grid that a node or a tile of the tree stands for, as the scene has it.
struct TreeCell {
  Int3 corner;
  const uint32_t* node =
      nullptr;            // that of the scene which fills the cube, or all of the scene within it; null where
                          // the cube lies in a larger homogeneous node
  uint32_t level = 0;     // of `node`
  uint32_t material = 0;  // without `node`, or where that is homogeneous
  bool solid = false;     // all of the cube has this material
};

// Calls visit(cell) for the cubes of this side that may hold voxels of the region, in Morton order.
template <class Visit>
void for_each_tree_cell(const dag::FrozenDag& dag, const VoxelBox& region, int32_t side, Visit visit) {
  dag::for_each_node(dag, region, [&](uint32_t level, Int3 corner, const uint32_t* node) {
    const auto node_side = static_cast<int32_t>(dag.level_side(level));
    if (level < dag.depth() && dag::is_homogeneous(*node)) {
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

// A leaf of the tree, 8³ voxels, of the parts of the scene that it holds.
struct LeafCell {
  Int3 corner;
  std::array<uint64_t, 8> masks = {};          // of the octants, each with bits as dag::leaf_mask() has them
  std::array<const uint32_t*, 8> leaves = {};  // with the materials of these; null: that of the cell
  uint32_t material = 0;
};

LeafCell leaf_cell(const dag::FrozenDag& dag, const VoxelBox& region, const TreeCell& cell);

// The active voxels of a node. Its box is empty where there are none.
struct ActiveVoxels {
  VoxelBox box = {};
  uint64_t count = 0;
  uint32_t materials = 0;  // a bit for each that occurs, where they are asked for

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
  uint64_t first_leaf = 0;   // in the tree
  uint64_t first_value = 0;  // of an index grid: tiles and voxels of leaves in the order of their cells
  uint64_t values() const { return leaf_voxels + tiles; }
};

// A node of 4096³, or a tile of that size.
struct UpperNode {
  Int3 corner;
  bool solid = false;
  uint32_t material = 0;
  uint64_t number = 0;  // among the nodes
  ActiveVoxels active = {};
  uint64_t first_lower = 0, lowers = 0;
  uint64_t first_value = 0, tiles = 0;  // a value for each tile, or that of a solid one
};

struct TreeOutline {
  VoxelBox region = {};
  std::vector<UpperNode> uppers = {};  // in the order of the keys of the root; solid ones are no nodes
  std::vector<LowerNode> lowers = {};
  ActiveVoxels active = {};
  uint64_t upper_nodes = 0, leaves = 0;
  std::array<uint64_t, 3> tiles = {};  // of 8³, 128³, 4096³
  uint64_t values = 1;                 // of an index grid; the first is the background
};

enum class CountMaterials { No, Yes };

TreeOutline outline_of(const dag::FrozenDag& dag, const VoxelBox& region, CountMaterials materials);

}  // namespace vox::nvdb
