// The nodes that --solid fills empty space with above the chunk cells, where those were built in parts: by several ranks,
// or in several rounds. The levels above them are then made on the host (dag/top_nodes.h).
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/top_nodes.h"
#include "libvox/voxelize/build_cells.h"
#include "libvox/voxelize/cell_states.h"

namespace vox::voxelize {

// What is known of the chunk cells of all parts.
struct TopOfCells {
  std::vector<dag::TopNode> nodes;
  // With options.solid: the fills of the cells' level, whose codes are slots (fills.h), and the rays along the cells.
  std::vector<dag::TopNode> fills;
  std::vector<CellState> states;
  LeftRows left;

  // Adds a node, which may be a fill among those of a part.
  void add(dag::TopNode node);

  // Takes from a part what is the same for all of them, where none has given it yet, and adds the fills to the part's
  // nodes. Returns what is known at the grid's left end, if it has taken it.
  template <class Device>
  SolidCounts take_common(BuiltCells<Device>& built);

  // Among the nodes of a part fills have codes of which no cell has.
  static constexpr uint64_t kFillCodes = uint64_t{1} << 63;
};

template <class Device>
SolidCounts TopOfCells::take_common(BuiltCells<Device>& built) {
  if (!left.states.empty() || built.inside.left.states.empty()) return {};
  left = std::move(built.inside.left);
  // Where the one cell is the root, nothing is above it.
  const std::vector<uint32_t>& fills_of_level = built.inside.fills;
  for (uint32_t slot = 0; built.level > 0 && slot < fills_of_level.size(); ++slot) {
    if (fills_of_level[slot] == hash::kNullPointer) continue;
    built.codes.push_back(kFillCodes | slot);
    built.pointers.push_back(fills_of_level[slot]);
  }
  return built.inside.at_start;
}

// Fills the levels above the cells, one after the other from the cells' own on.
class TopFills {
 public:
  // A chunk cell has 2^log2_cells leaves a side.
  TopFills(TopOfCells top, uint32_t log2_cells, uint32_t resolution);

  // Adds the absent siblings that are inside to nodes in Morton order, which stand so high above the leaves, and what
  // they stand for to the counts of `dag`.
  void add_to(std::vector<dag::TopNode>& nodes, uint32_t height, dag::FrozenDag& dag) const;

  // The parts of all fills of the next level, as children of nodes whose codes are slots; none where that is the root's,
  // which is no fill.
  std::vector<dag::TopNode> parts_above(uint32_t height) const;
  // Goes on to that level. The nodes have ids.
  void go_up(std::vector<dag::TopNode> fills) { fills_ = std::move(fills); }

 private:
  const dag::TopNode* find(uint64_t slot) const;  // nullptr where there is no such fill

  std::vector<dag::TopNode> fills_;  // in the order of slots
  CellStates states_;
  uint32_t resolution_;
};

}  // namespace vox::voxelize
