// Visits the filled parts inside a box of voxels, in Morton order. Empty space costs nothing. The work is
// proportional to the number of nodes visited, where every occurrence of a shared node counts.
#pragma once

#include <tbb/blocked_range.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libvox/base/geometry.h"
#include "libvox/base/hd.h"
#include "libvox/base/loops.h"
#include "libvox/base/paged_memory.h"
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

// The numbers of a scene's filled voxels, in the order of a depth-first walk through the octree with children in Morton
// order. Equal parts of a scene are one node of the DAG, but their voxels have different numbers, by which attributes
// that are not part of the geometry are found (libvox/attributes).

// A number for each word of the inner nodes, beginning with the root: in place of the header, how many voxels are below
// the node, and in place of a child's pointer, how many are below the children before it.
struct VoxelNumbersRef {
  const uint32_t* low = nullptr;  // the lower 32 bits
  const uint32_t* high =
      nullptr;  // the upper 32 bits, of the first `high_words` words; those of the others are 0
  uint64_t high_words = 0;

  VOX_HD uint64_t operator[](uint64_t word) const {
    return low[word] | (word < high_words ? uint64_t{high[word]} << 32 : 0);
  }
};

class VoxelNumbers {
 public:
  // check_structure() must accept the DAG, which must outlive this object.
  explicit VoxelNumbers(const FrozenDag& dag);

  // Returns the number of voxels below the node with this number on this level.
  uint64_t voxels(uint32_t level, uint64_t number) const {
    if (level == dag_.depth())
      return static_cast<uint64_t>(popcount(leaf_mask(dag_.levels[level].node(number))));
    return at(level, dag_.levels[level].places[number]);
  }

  // Returns how many voxels lie below the children that come before the child to which the node's word `word` points.
  uint64_t before(uint32_t level, uint64_t number, uint32_t word) const {
    return at(level, dag_.levels[level].places[number] + word);
  }

  struct NumberedLeaf {
    uint64_t first;  // the number of its first voxel
    const uint32_t* words;
  };
  // Returns the leaf that has its lower corner here. There must be such a leaf.
  NumberedLeaf leaf_at(Int3 corner) const;
  uint64_t first_of_leaf(Int3 corner) const { return leaf_at(corner).first; }

  // The counts of each inner level. `high` is empty if all counts of a level are less than 2^32.
  struct Level {
    Words low, high;
  };
  const std::vector<Level>& levels() const { return levels_; }

 private:
  uint64_t at(uint32_t level, uint64_t word) const {
    const Level& here = levels_[level];
    return here.low[word] | (here.high.empty() ? 0 : uint64_t{here.high[word]} << 32);
  }

  const FrozenDag& dag_;
  std::vector<Level> levels_;
};

// Parts of scenes: runs of nodes that follow each other, the levels above parts that were built separately, and boxes.

// A part of a DAG in canonical form: a run of the nodes of each level. The whole DAG consists of all parts,
// one behind the other. A child pointer is the child's number among all nodes of the next level, so it does
// not depend on where parts begin.
struct LevelPart {
  Words words;
  uint64_t first = 0;  // the number of its first node on the level
  uint64_t nodes = 0;
};

struct DagPart {
  std::vector<LevelPart> levels;  // begins with the root's level
};

// The levels above separately built parts of a scene. They are built on the host, because they have few
// nodes.

// A node, and the facts about it that its parent needs.
struct TopNode {
  uint64_t code = 0;      // 8 B, the Morton code of its place on its level
  uint64_t id = 0;        // 8 B, the name of the node in the code that joins the parts
  Digest digest;          // 16 B
  int32_t material = -1;  // 4 B, the material if the node is full and has only one, else -1
  uint32_t unused = 0;    // 4 B
};
static_assert(sizeof(TopNode) == 40);

void sort_by_code(std::vector<TopNode>& nodes);

// The parents of a list of nodes. Node i has the header headers[i] and the children
// [starts[i], starts[i + 1]).
struct NodesAbove {
  std::vector<TopNode> nodes;  // in Morton order; their ids are still 0
  std::vector<uint32_t> headers;
  std::vector<uint64_t> starts;
};

// Returns the level above these nodes, which must be in Morton order.
NodesAbove nodes_above(const std::vector<TopNode>& children);

// Cuts a scene at boxes of voxels. The part inside the boxes keeps its place in the grid. The work is proportional to
// the number of unique nodes that are left, plus the number of nodes that the boxes cut.

// Returns the part of a DAG inside the boxes. The DAG must be one that check_structure() accepts. Throws OutOfMemory if the
// nodes that stay as they are would take more than `memory` bytes; the work takes up to twice as much.
FrozenDag clipped(const FrozenDag& dag, const VoxelRegion& region, uint64_t memory = UINT64_MAX);
FrozenDag clipped(const FrozenDag& dag, const VoxelBox& box);

// Returns the part of a scene inside the box, with its palette, its colors and its place in the world, but without
// shares, source and history.
VoxelScene clipped_scene(const VoxelScene& scene, const VoxelBox& box);

// Returns the smallest box around all voxels of a DAG, or an empty box if it has none. The DAG must be one that
// check_structure() accepts.
VoxelBox filled_box(const FrozenDag& dag);

}  // namespace vox::dag
