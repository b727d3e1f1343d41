// The rays of --solid where they pass chunk cells. They tell what the empty nodes above the chunk cells hold:
// such a node is inside if the ray through its lowest corner is, and takes the material of that ray. So the
// lowest row of each chunk cell is enough.
#pragma once

#include <vector>

#include "libvox/voxelize/inside.h"

namespace vox::voxelize {

struct CellState {
  uint64_t code;     // 8 B, the Morton code of the chunk cell
  RowState entered;  // 16 B, the state at the cell's left face
  RowState left;     // 16 B, the state at the cell's right face
};
static_assert(sizeof(CellState) == 40);

// The states at the grid's left end. The index of the state of the row of chunk cells at (y, z) is
// y + z · a_side.
struct LeftRows {
  std::vector<RowState> states;
  uint64_t a_side = 0;
};

// The arrays of an InsideRef in host memory. They have one cell for each chunk cell: its lowest one.
struct CellStates {
  std::vector<uint64_t> keys;
  std::vector<RowState> before, after;
  LeftRows rows;
  uint32_t log2_cells = 0;

  InsideRef ref() const {
    return {keys.data(),        before.data(), after.data(), keys.size(),
            rows.states.data(), rows.a_side,   log2_cells};
  }
};

// Sorts the states into the arrays of an InsideRef. A chunk cell has 2^log2_cells cells a side.
CellStates arrange_states(std::vector<CellState> states, LeftRows rows, uint32_t log2_cells);

}  // namespace vox::voxelize
