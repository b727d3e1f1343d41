// The rays of --solid where they pass chunk cells, which say what the empty nodes above chunk cells hold. Such a node
// takes after the ray through its lowest corner, so that of each chunk cell its lowest row is enough.
#pragma once

#include <vector>

#include "libvox/voxelize/inside.h"

namespace vox::voxelize {

struct CellState {
  uint64_t code;     // 8 B, the Morton code of the chunk cell
  RowState entered;  // 16 B, at its left face
  RowState left;     // 16 B, at its right face
};
static_assert(sizeof(CellState) == 40);

// At the grid's left end, the states of the rows of chunk cells along x, at y + z · a_side.
struct LeftRows {
  std::vector<RowState> states;
  uint64_t a_side = 0;
};

// The arrays of an InsideRef, on the host: the cells are the lowest of each chunk cell.
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

// A chunk cell has 2^log2_cells cells a side.
CellStates arrange_states(std::vector<CellState> states, LeftRows rows, uint32_t log2_cells);

}  // namespace vox::voxelize
