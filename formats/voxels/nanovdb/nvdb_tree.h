// The outline of a NanoVDB tree for a scene: its nodes and the number of nodes below each. They are counted
// before the first node is written, because nodes point forwards.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "formats/voxels/nanovdb/nvdb_layout.h"
#include "libvox/base/voxel_box.h"
#include "libvox/dag/frozen_dag.h"
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

// Calls visit(cell) for the cubes of this side that may contain voxels of the region, in Morton order.
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

// A leaf of the tree, 8³ voxels, made of up to eight leaves of the scene.
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
  uint32_t materials = 0;  // a bit for each one that occurs, if requested

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
  uint64_t first_leaf = 0;   // its number in the tree
  uint64_t first_value = 0;  // in an index grid: tiles and voxels of leaves in the order of their cells
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
  uint64_t first_value = 0, tiles = 0;  // a value for each tile, or the single one of a solid node
};

struct TreeOutline {
  VoxelBox region = {};
  std::vector<UpperNode> uppers = {};  // in the order of the root's keys; solid ones are tiles
  std::vector<LowerNode> lowers = {};
  ActiveVoxels active = {};
  uint64_t upper_nodes = 0, leaves = 0;
  std::array<uint64_t, 3> tiles = {};  // the numbers of tiles of 8³, 128³, 4096³
  uint64_t values = 1;                 // in an index grid; the first is the background
};

enum class CountMaterials { No, Yes };

TreeOutline outline_of(const dag::FrozenDag& dag, const VoxelBox& region, CountMaterials materials);

}  // namespace vox::nvdb
