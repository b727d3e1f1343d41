// Parts of scenes: runs of nodes that follow each other, the levels above parts that were built separately, and boxes.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/base/geometry.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_scene.h"

namespace vox::dag {

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
