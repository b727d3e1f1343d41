// Scenes as plain arrays of voxels.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/base/morton.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"
#include "tests/dag/dense_dag.h"

namespace vox {

struct Dense {
  uint32_t side = 0;
  std::vector<int8_t> voxels;  // material, or kEmptyVoxel; x fastest

  explicit Dense(uint32_t n) : side(n), voxels(size_t{n} * n * n, dag::kEmptyVoxel) {}
  size_t index(Int3 p) const {
    return (static_cast<size_t>(p.z) * side + static_cast<size_t>(p.y)) * side + static_cast<size_t>(p.x);
  }
  int8_t& at(Int3 p) { return voxels[index(p)]; }
  int8_t at(Int3 p) const { return voxels[index(p)]; }
  bool filled(Int3 p) const { return at(p) != dag::kEmptyVoxel; }
  bool contains(Int3 p) const {
    auto n = static_cast<int32_t>(side);
    return p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < n && p.y < n && p.z < n;
  }
};

inline Int3 child_corner(Int3 corner, uint32_t child, uint32_t child_side) {
  return corner + morton_decode(child) * static_cast<int32_t>(child_side);
}

inline void expand(const dag::FrozenDag& dag, uint32_t level, uint32_t number, Int3 corner, Dense& dense) {
  const uint32_t* node = dag.levels[level].node(number);
  if (level == dag.depth()) {
    for (uint32_t bit = 0; bit < 64; ++bit)
      if (dag::leaf_mask(node) >> bit & 1)
        dense.at(child_corner(corner, bit, 1)) =
            static_cast<int8_t>(dag.materials ? dag::leaf_material(node, bit) : 0);
    return;
  }
  for (uint32_t child = 0; child < 8; ++child)
    if (node[0] >> child & 1)
      expand(dag, level + 1, node[dag::child_word(node[0], child)],
             child_corner(corner, child, dag.level_side(level + 1)), dense);
}

inline Dense to_dense(const dag::FrozenDag& dag) {
  Dense dense(dag.side());
  if (!dag.empty()) expand(dag, 0, 0, {0, 0, 0}, dense);
  return dense;
}

// Returns the canonical DAG of the array, made by the slow way.
inline dag::FrozenDag reference_dag(const Dense& dense, uint32_t resolution, bool materials) {
  return dense_dag(resolution, materials, [&](uint32_t x, uint32_t y, uint32_t z) -> int {
    return dense.at({static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)});
  });
}

}  // namespace vox
