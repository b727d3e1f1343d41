// The levels above the forests of all ranks, which rank 0 builds on the host (dag/top_nodes.h), with words as owners keep
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/top_nodes.h"

namespace vox::ranks {

using dag::sort_by_code;
using dag::TopNode;

struct TopLevel {
  std::vector<TopNode> nodes;            // in Morton order; their ids are 0 as yet
  std::vector<uint32_t> words, offsets;  // as owners keep them (spread_node.h)
};

// The level above nodes that are in Morton order.
TopLevel parents_of(const std::vector<TopNode>& children);

}  // namespace vox::ranks
