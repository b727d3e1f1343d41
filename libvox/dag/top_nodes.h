// The levels above separately built parts of a scene. They are built on the host, because they have few
// nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/digest.h"

namespace vox::dag {

// A node, and the facts about it that its parent needs.
struct TopNode {
  uint64_t code = 0;      // 8 B, the Morton code of its place on its level
  uint64_t id = 0;        // 8 B, how the code that joins the parts identifies nodes
  Digest digest;          // 16 B
  int32_t material = -1;  // 4 B, the material if the node is full and has only one, else -1
  uint32_t unused = 0;    // 4 B
};
static_assert(sizeof(TopNode) == 40);

void sort_by_code(std::vector<TopNode>& nodes);

// The parents of a list of nodes. Node i has the header headers[i] and the children from starts[i] to before
// starts[i + 1].
struct NodesAbove {
  std::vector<TopNode> nodes;  // in Morton order; their ids are still 0
  std::vector<uint32_t> headers;
  std::vector<uint64_t> starts;
};

// Returns the level above these nodes, which must be in Morton order.
NodesAbove nodes_above(const std::vector<TopNode>& children);

}  // namespace vox::dag
