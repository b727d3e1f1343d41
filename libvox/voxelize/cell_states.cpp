#include "libvox/voxelize/cell_states.h"

#include <algorithm>
#include <utility>

#include "libvox/base/morton.h"

namespace vox::voxelize {

CellStates arrange_states(std::vector<CellState> states, LeftRows rows, uint32_t log2_cells) {
  const auto key = [&](const CellState& state) {
    return row_key(morton_decode(state.code) * (1 << log2_cells));
  };
  std::ranges::sort(states, {}, key);
  CellStates result;
  for (const CellState& state : states) {
    result.keys.push_back(key(state));
    result.before.push_back(state.entered);
    result.after.push_back(state.left);
  }
  result.rows = std::move(rows);
  result.log2_cells = log2_cells;
  return result;
}

}  // namespace vox::voxelize
