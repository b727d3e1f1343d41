// A kd tree over the root grid whose leaves are regions of bricks of one type (Labschütz, §4.3). If a leaf
// gives the type, access need not look the type up.
//
// Each split is the one whose two sides have the least average entropy of types (eq. 4.1, 4.2). The leaf
// whose types take the most bits is split next, so that a tree with few leaves has them where they tell most.
// If a leaf still has several types in the end, access looks the type up in the root grid, as it does without
// a tree.
#pragma once

#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/jit/kd_node.h"

namespace vox::bricks {

// Return the parts of a box of bricks on the two sides of a split.
VoxelBox low_side(const VoxelBox& box, KdNode split);
VoxelBox high_side(const VoxelBox& box, KdNode split);

struct KdTree {
  Int3 grid = {0, 0, 0};      // in bricks
  std::vector<KdNode> nodes;  // the root is first
  uint32_t leaves = 0;
  uint32_t mixed = 0;  // the number of leaves with several types

  uint32_t depth() const;  // the number of splits on the longest way to a leaf

  // Calls f(box of bricks, leaf) for all leaves, from low to high.
  template <class F>
  void each_leaf(const F& f) const {
    each_leaf_of(0, {{0, 0, 0}, grid}, f);
  }

 private:
  template <class F>
  void each_leaf_of(uint32_t number, const VoxelBox& box, const F& f) const {
    const KdNode node = nodes[number];
    if (node.is_leaf()) return f(box, node);
    each_leaf_of(node.next, low_side(box, node), f);
    each_leaf_of(node.next + 1, high_side(box, node), f);
  }
};

// `types` has one number below kBrickTypeCount for each brick of the grid, x fastest. `most_leaves` must be
// at least 1. Throws Error for 2^32 bricks or more.
KdTree build_kd_tree(Int3 grid, const std::vector<uint8_t>& types, uint32_t most_leaves);
KdTree build_kd_tree(const FrozenBricks& bricks, uint32_t most_leaves);

}  // namespace vox::bricks
