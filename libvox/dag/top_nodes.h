// The levels above parts of a scene that were built apart, on the host: there are few nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/digest.h"

namespace vox::dag {

// A node, and what the node above needs to know of it.
struct TopNode {
  uint64_t code = 0;      // 8 B, the Morton code of its place on its level
  uint64_t id = 0;        // 8 B, whatever nodes are known by where the parts are put together
  Digest digest;          // 16 B
  int32_t material = -1;  // 4 B, of all its voxels, where it is full and they have but one
  uint32_t unused = 0;    // 4 B
};
static_assert(sizeof(TopNode) == 40);

void sort_by_code(std::vector<TopNode>& nodes);

// The nodes above others. Node i has the header headers[i], and the children from starts[i] to starts[i + 1].
struct NodesAbove {
  std::vector<TopNode> nodes;  // in Morton order; their ids are 0 as yet
  std::vector<uint32_t> headers;
  std::vector<uint64_t> starts;
};

// The level above nodes that are in Morton order.
NodesAbove nodes_above(const std::vector<TopNode>& children);

}  // namespace vox::dag
