#include "formats/voxels/nanovdb/nvdb_tree.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <tuple>

#include "libvox/base/progress.h"

namespace vox::nvdb {
namespace {

ActiveVoxels solid_cube(Int3 corner, int32_t side, uint32_t material) {
  const VoxelBox cube = cube_at(corner, static_cast<uint32_t>(side));
  return {cube, cube.voxels(), 1u << material};
}

uint32_t materials_of(const dag::FrozenDag& dag, const uint32_t* leaf, uint64_t inside) {
  if (!dag.materials) return 1;
  const uint32_t* words = dag::leaf_materials(leaf);
  const uint64_t mask = dag::leaf_mask(leaf);
  uint32_t found = 0, rank = 0;
  for (uint64_t left = mask; left != 0; left &= left - 1, ++rank)
    if ((inside & left & (0 - left)) != 0) found |= 1u << dag::ranked_material(words, rank);
  return found;
}

ActiveVoxels active_of(const dag::FrozenDag& dag, const LeafCell& cell, CountMaterials materials) {
  ActiveVoxels active;
  for (uint32_t o = 0; o < 8; ++o) {
    const uint64_t mask = cell.masks[o];
    if (mask == 0) continue;
    const Int3 corner = cell.corner + octant_corner(o, dag::kLeafSide);
    const VoxelBox bounds = dag::leaf_bounds(mask);
    const uint32_t* leaf = cell.leaves[o];
    const uint32_t found = materials == CountMaterials::No ? 0
                           : leaf != nullptr               ? materials_of(dag, leaf, mask)
                                                           : 1u << cell.material;
    active.add({{corner + bounds.min, corner + bounds.max}, static_cast<uint64_t>(popcount(mask)), found});
  }
  return active;
}

void count_lower(const dag::FrozenDag& dag, const TreeOutline& tree, CountMaterials materials,
                 LowerNode& lower) {
  const VoxelBox box = intersection(cube_at(lower.corner, kLowerSide), tree.region);
  for_each_tree_cell(dag, box, kLeafSide, tree.full, [&](const TreeCell& cell) {
    if (cell.solid) {
      ++lower.tiles;
      lower.active.add(solid_cube(cell.corner, kLeafSide, cell.material));
      return;
    }
    const ActiveVoxels active = active_of(dag, leaf_cell(dag, box, cell), materials);
    if (active.count == 0) return;
    ++lower.leaves;
    lower.leaf_voxels += active.count;
    lower.active.add(active);
  });
}

std::vector<UpperNode> find_uppers(const dag::FrozenDag& dag, const TreeOutline& tree) {
  std::vector<UpperNode> uppers;
  for_each_tree_cell(dag, tree.region, kUpperSide, tree.full, [&](const TreeCell& cell) {
    uppers.push_back({.corner = cell.corner, .solid = cell.solid, .material = cell.material});
  });
  std::ranges::sort(uppers, {},
                    [](const UpperNode& u) { return std::tuple(u.corner.x, u.corner.y, u.corner.z); });
  return uppers;
}

// Counts the tiles directly below a node of 4096³, and appends its children to those of other nodes.
void find_lowers(const dag::FrozenDag& dag, UpperNode& upper, TreeOutline& tree) {
  upper.first_lower = tree.lowers.size();
  const VoxelBox box = intersection(cube_at(upper.corner, kUpperSide), tree.region);
  for_each_tree_cell(dag, box, kLowerSide, tree.full, [&](const TreeCell& cell) {
    if (!cell.solid) return tree.lowers.push_back({.corner = cell.corner});
    ++upper.tiles;
    upper.active.add(solid_cube(cell.corner, kLowerSide, cell.material));
  });
  upper.lowers = tree.lowers.size() - upper.first_lower;
}

// Removes the nodes that have no voxels because the clip box cuts these off, and sets where the others begin.
void place_nodes(TreeOutline& tree) {
  std::vector<LowerNode> lowers;
  lowers.reserve(tree.lowers.size());
  for (UpperNode& upper : tree.uppers) {
    const size_t first = lowers.size();
    for (uint64_t i = upper.first_lower; i < upper.first_lower + upper.lowers; ++i) {
      if (tree.lowers[i].active.count == 0) continue;
      upper.active.add(tree.lowers[i].active);
      lowers.push_back(tree.lowers[i]);
    }
    upper.first_lower = first;
    upper.lowers = lowers.size() - first;
  }
  tree.lowers = std::move(lowers);
  std::erase_if(tree.uppers, [](const UpperNode& upper) { return upper.active.count == 0; });
  for (UpperNode& upper : tree.uppers) {
    upper.first_value = tree.values;
    tree.values += upper.solid ? 1 : upper.tiles;
    upper.number = tree.upper_nodes;
    tree.upper_nodes += upper.solid ? 0 : 1;
    tree.tiles[upper.solid ? 2 : 1] += upper.solid ? 1 : upper.tiles;
    tree.active.add(upper.active);
  }
  for (LowerNode& lower : tree.lowers) {
    lower.first_leaf = tree.leaves;
    lower.first_value = tree.values;
    tree.leaves += lower.leaves;
    tree.values += lower.values();
    tree.tiles[0] += lower.tiles;
  }
}

}  // namespace

LeafCell leaf_cell(const dag::FrozenDag& dag, const VoxelBox& region, const TreeCell& cell) {
  LeafCell leaf = {.corner = cell.corner, .material = cell.material};
  const VoxelBox cube = cube_at(cell.corner, kLeafSide);
  const bool cut = !(intersection(cube, region) == cube);
  const auto put = [&](uint32_t octant, uint64_t mask, const uint32_t* words) {
    const Int3 corner = cell.corner + octant_corner(octant, dag::kLeafSide);
    leaf.masks[octant] = cut ? mask & dag::leaf_mask_inside(corner, region) : mask;
    leaf.leaves[octant] = words;
  };
  if (cell.node == nullptr) {
    for (uint32_t octant = 0; octant < 8; ++octant) put(octant, UINT64_MAX, nullptr);
  } else if (cell.level == dag.depth()) {
    put(0, dag::leaf_mask(cell.node), cell.node);  // the whole scene is one leaf of 4³
  } else {
    const dag::DagLevel& children = dag.levels[cell.level + 1];
    const uint32_t* pointer = cell.node + 1;
    for (uint32_t mask = dag::child_mask(*cell.node); mask != 0; mask &= mask - 1, ++pointer) {
      const uint32_t* words = children.node(*pointer);
      put(static_cast<uint32_t>(lowest_bit(mask)), dag::leaf_mask(words), words);
    }
  }
  return leaf;
}

TreeOutline outline_of(const dag::FrozenDag& dag, const VoxelBox& region, CountMaterials materials,
                       FullNodes full) {
  TreeOutline tree = {.region = region, .full = full};
  tree.uppers = find_uppers(dag, tree);
  for (UpperNode& upper : tree.uppers) {
    throw_if_cancelled();
    if (upper.solid)
      upper.active = solid_cube(upper.corner, kUpperSide, upper.material);
    else
      find_lowers(dag, upper, tree);
  }
  tbb::parallel_for(size_t{0}, tree.lowers.size(), [&](size_t i) {
    throw_if_cancelled();
    count_lower(dag, tree, materials, tree.lowers[i]);
  });
  place_nodes(tree);
  return tree;
}

}  // namespace vox::nvdb
