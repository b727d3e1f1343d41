// The nodes that --solid fills empty space with above the chunk cells, on rank 0.
#pragma once

#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/ranks/top_level.h"
#include "libvox/voxelize/cell_states.h"

namespace vox::ranks {

class TopFills {
 public:
  // `fills` are the fills of the chunk cells' level, whose codes are their slots (voxelize/fills.h).
  TopFills(std::vector<TopNode> fills, voxelize::CellStates states, uint32_t resolution);

  // Adds the absent siblings that are inside to nodes in Morton order, which stand so high above the leaves, and what
  // they stand for to the counts of `dag`.
  void add_to(std::vector<TopNode>& nodes, uint32_t height, dag::FrozenDag& dag) const;

  // The parts of all fills of the next level, as children of nodes whose codes are slots.
  std::vector<TopNode> parts_above(uint32_t height) const;
  // Goes on to that level. The nodes have ids.
  void go_up(std::vector<TopNode> fills) { fills_ = std::move(fills); }

 private:
  const TopNode* find(uint64_t slot) const;  // nullptr where there is no such fill

  std::vector<TopNode> fills_;  // in the order of slots
  voxelize::CellStates states_;
  uint32_t resolution_;
};

}  // namespace vox::ranks
