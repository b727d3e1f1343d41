// The nodes with which --solid fills empty space above the chunk cells, if the cells were built in parts: by
// several ranks, or in several rounds. The levels above the cells are then made on the host
// (dag/top_nodes.h).
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/top_nodes.h"
#include "libvox/voxelize/build_cells.h"
#include "libvox/voxelize/cell_states.h"

namespace vox::voxelize {

// The data of the chunk cells of all parts.
struct TopOfCells {
  std::vector<dag::TopNode> nodes;
  // With options.solid: the fills of the cells' level, whose codes are slots (fills.h), and the rays along
  // the cells.
  std::vector<dag::TopNode> fills;
  std::vector<CellState> states;
  LeftRows left;

  // Adds a node of a part. If its code is that of a fill, the node is added to the fills.
  void add(dag::TopNode node);

  // Takes the data that is the same for all parts from the first part that has it, and adds the fills to that
  // part's nodes. Returns the number of rays that begin inside, or 0 if it took nothing.
  template <class Device>
  SolidCounts take_common(BuiltCells<Device>& built);

  // The codes of fills among a part's nodes begin here. No cell has such a code.
  static constexpr uint64_t kFillCodes = uint64_t{1} << 63;
};

template <class Device>
SolidCounts TopOfCells::take_common(BuiltCells<Device>& built) {
  if (!left.states.empty() || built.inside.left.states.empty()) return {};
  left = std::move(built.inside.left);
  // If the only cell is the root, nothing is above it.
  const std::vector<uint32_t>& fills_of_level = built.inside.fills;
  for (uint32_t slot = 0; built.level > 0 && slot < fills_of_level.size(); ++slot) {
    if (fills_of_level[slot] == hash::kNullPointer) continue;
    built.codes.push_back(kFillCodes | slot);
    built.pointers.push_back(fills_of_level[slot]);
  }
  return built.inside.at_start;
}

// Fills the levels above the cells, one after the other, beginning with the cells' own level.
class TopFills {
 public:
  // A chunk cell has 2^log2_cells leaves a side.
  TopFills(TopOfCells top, uint32_t log2_cells, uint32_t resolution);

  // Adds the absent siblings that are inside to the nodes, and adds their voxels and nodes to the counts of
  // `dag`. The nodes are in Morton order; `height` is their height above the leaves.
  void add_to(std::vector<dag::TopNode>& nodes, uint32_t height, dag::FrozenDag& dag) const;

  // Returns the parts of all fills of the next level, as children of nodes whose codes are slots. Returns
  // nothing if the next level is the root's, because the root is no fill.
  std::vector<dag::TopNode> parts_above(uint32_t height) const;
  // Goes on to that level. `fills` are its fills, with their ids.
  void go_up(std::vector<dag::TopNode> fills) { fills_ = std::move(fills); }

 private:
  const dag::TopNode* find(uint64_t slot) const;  // nullptr if there is no such fill

  std::vector<dag::TopNode> fills_;  // in the order of their slots
  CellStates states_;
  uint32_t resolution_;
};

}  // namespace vox::voxelize
