// The levels above the forests of all ranks. Rank 0 builds them on the host (dag/top_nodes.h), with words in
// the form in which owners keep them.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/top_nodes.h"

namespace vox::ranks {

using dag::sort_by_code;
using dag::TopNode;

struct TopLevel {
  std::vector<TopNode> nodes;            // in Morton order; their ids are still 0
  std::vector<uint32_t> words, offsets;  // in the form of spread_node.h
};

// Returns the level above these nodes, which must be in Morton order.
TopLevel parents_of(const std::vector<TopNode>& children);

}  // namespace vox::ranks
