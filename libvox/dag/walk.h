// Visits the filled parts inside a box of voxels, in Morton order. Empty space costs nothing. The work is
// proportional to the number of nodes visited, where every occurrence of a shared node counts.
#pragma once

#include <tbb/blocked_range.h>

#include <algorithm>
#include <cstdint>

#include "libvox/base/geometry.h"
#include "libvox/base/loops.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/volume/volume.h"

namespace vox::dag {

// Calls body(octant, number) for each child of an inner node.
template <class Body>
void visit_children(const uint32_t* node, const Body& body) {
  const uint32_t* pointer = node + 1;
  for (uint32_t mask = child_mask(*node); mask != 0; mask &= mask - 1)
    body(static_cast<uint32_t>(lowest_bit(mask)), *pointer++);
}

// Prefetches the values of the children of an inner node.
template <class T>
void prefetch_children(const uint32_t* node, const T* values) {
  for (uint32_t i = 1, words = node_words(node[0]); i < words; ++i) prefetch_line(values + node[i]);
}

// Calls body(bit) for each bit that is set, such as those of a leaf's voxels.
template <class Body>
void visit_bits(uint64_t mask, const Body& body) {
  for (; mask != 0; mask &= mask - 1) body(static_cast<uint32_t>(lowest_bit(mask)));
}

// Returns the mask of the voxels of the leaf at `corner` that lie inside `region`.
uint64_t leaf_mask_inside(Int3 corner, const VoxelBox& region);

namespace detail {

template <class Visit>
void visit_below(const FrozenDag& dag, const VoxelBox& region, uint32_t level, Int3 corner,
                 const uint32_t* node, Visit& visit) {
  if (intersection(cube_at(corner, dag.level_side(level)), region).empty()) return;
  bool deeper = visit(level, corner, node);
  if (!deeper || level == dag.depth()) return;
  const auto half = static_cast<int32_t>(dag.level_side(level + 1));
  visit_children(node, [&](uint32_t octant, uint32_t child) {
    visit_below(dag, region, level + 1, corner + octant_corner(octant, half),
                dag.levels[level + 1].node(child), visit);
  });
}

}  // namespace detail

// Calls visit(level, corner, node) for every node that touches the region, parents first, and descends below
// a node if visit() returns true. `node` points to the node's words; on level dag.depth() they are those of a
// leaf.
template <class Visit>
void for_each_node(const FrozenDag& dag, const VoxelBox& region, Visit visit) {
  if (!dag.empty()) detail::visit_below(dag, region, 0, {0, 0, 0}, dag.levels[0].words.data(), visit);
}

// Calls on_leaf(corner, mask, leaf) for every leaf with a filled voxel in the region. `mask` holds these
// voxels, and `leaf` points to the words of the whole leaf. For a homogeneous node it calls on_solid(box,
// material) instead of calling on_leaf for the leaves below. `box` is the node's cube, clipped to the region.
template <class OnLeaf, class OnSolid>
void for_each_leaf(const FrozenDag& dag, const VoxelBox& region, OnLeaf on_leaf, OnSolid on_solid) {
  for_each_node(dag, region, [&](uint32_t level, Int3 corner, const uint32_t* node) {
    if (level == dag.depth()) {
      uint64_t mask = leaf_mask(node) & leaf_mask_inside(corner, region);
      if (mask != 0) on_leaf(corner, mask, node);
      return false;
    }
    if (!is_homogeneous(*node)) return true;
    on_solid(intersection(cube_at(corner, dag.level_side(level)), region), homogeneous_material(*node));
    return false;
  });
}

// Calls on_leaf also for the leaves below homogeneous nodes.
template <class OnLeaf>
void for_each_leaf(const FrozenDag& dag, const VoxelBox& region, OnLeaf on_leaf) {
  for_each_node(dag, region, [&](uint32_t level, Int3 corner, const uint32_t* node) {
    if (level < dag.depth()) return true;
    uint64_t mask = leaf_mask(node) & leaf_mask_inside(corner, region);
    if (mask != 0) on_leaf(corner, mask, node);
    return false;
  });
}

// True if a voxel inside the region is filled. The search ends at the first one.
inline bool has_filled(const FrozenDag& dag, const VoxelBox& region) {
  bool found = false;
  for_each_node(dag, region, [&](uint32_t level, Int3 corner, const uint32_t* node) {
    const VoxelBox cube = cube_at(corner, dag.level_side(level));
    found = found || intersection(cube, region) == cube ||
            (level == dag.depth() && (leaf_mask(node) & leaf_mask_inside(corner, region)) != 0) ||
            (level < dag.depth() && is_homogeneous(*node));
    return !found;
  });
  return found;
}

// Loops over the nodes of one level, on all cores.

using NodeNumbers = tbb::blocked_range<uint64_t>;

// Returns the number of nodes in a piece of a parallel loop over a level. If the level is read from a file, pieces
// are larger: a piece inflates whole chunks of the file, and two neighboring pieces both inflate the chunk between
// them.
inline uint64_t nodes_at_once(const DagLevel& level) {
  return level.filed ? std::clamp<uint64_t>(level.places.nodes() / 256, 1 << 16, 1 << 18) : 1024;
}

inline NodeNumbers node_numbers(const DagLevel& level) {
  return {0, level.places.nodes(), nodes_at_once(level)};
}

// Calls body(number, its words) for each node in the range, in order.
template <class Body>
void for_each_in(const DagLevel& level, const NodeNumbers& range, Body body) {
  for (uint64_t number = range.begin(); number < range.end(); ++number) body(number, level.node(number));
}

// Calls body(number, its words) for each node of the level, in parallel.
template <class Body>
void parallel_for_each(const DagLevel& level, const Body& body) {
  parallel_for(node_numbers(level), [&](const NodeNumbers& range) { for_each_in(level, range, body); });
}

// The byte of a filled voxel: its material + 1, or 1 without materials. In all dense formats 0 means empty.
inline uint8_t solid_value(uint32_t material) {
  return static_cast<uint8_t>(material + 1);
}
inline uint8_t leaf_value(const FrozenDag& dag, const uint32_t* leaf, uint32_t bit) {
  return dag.materials ? solid_value(leaf_material(leaf, bit)) : uint8_t{1};
}

// Writes the voxels inside the box, with x varying fastest.
void write_dense(const FrozenDag& dag, const VoxelBox& box, uint8_t* bytes);

// Returns a scene as a volume of R³ bytes: 0 for an empty voxel, else solid_value(). They are decoded from the DAG
// when they are read. The scene must outlive the volume.
volume::Volume scene_volume(const VoxelScene& scene);

}  // namespace vox::dag
