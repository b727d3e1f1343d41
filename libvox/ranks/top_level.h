// The levels above the forests of all ranks, which rank 0 builds on the host: there are few nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/digest.h"

namespace vox::ranks {

// A node, and what the node above needs to know of it.
struct TopNode {
  uint64_t code = 0;      // 8 B, the Morton code of its place on its level
  uint64_t id = 0;        // 8 B
  dag::Digest digest;     // 16 B
  int32_t material = -1;  // 4 B, of all its voxels, where it is full and they have but one
  uint32_t unused = 0;    // 4 B
};
static_assert(sizeof(TopNode) == 40);

struct TopLevel {
  std::vector<TopNode> nodes;            // in Morton order; their ids are 0 as yet
  std::vector<uint32_t> words, offsets;  // as owners keep them (spread_node.h)
};

void sort_by_code(std::vector<TopNode>& nodes);

// The level above nodes that are in Morton order.
TopLevel parents_of(const std::vector<TopNode>& children);

}  // namespace vox::ranks
