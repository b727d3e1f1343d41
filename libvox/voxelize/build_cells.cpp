#include "libvox/voxelize/build_cells.h"

#include <algorithm>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/voxelize/fills.h"

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

using dag::TopNode;

void TopOfCells::add(TopNode node) {
  const bool is_fill = node.code >= kFillCodes;
  node.code &= kFillCodes - 1;
  (is_fill ? fills : nodes).push_back(node);
}

TopFills::TopFills(TopOfCells top, uint32_t log2_cells, uint32_t resolution, InsideRule rule)
    : fills_(std::move(top.fills)),
      states_(arrange_states(std::move(top.states), std::move(top.left), log2_cells)),
      resolution_(resolution),
      rule_(rule) {
  sort_by_code(fills_);
}

const TopNode* TopFills::find(uint64_t slot) const {
  const auto found = std::ranges::lower_bound(fills_, slot, {}, &TopNode::code);
  return found != fills_.end() && found->code == slot ? &*found : nullptr;
}

void TopFills::add_to(std::vector<TopNode>& nodes, uint32_t height, dag::FrozenDag& dag) const {
  std::vector<uint64_t> codes;
  std::vector<uint32_t> starts;  // where the children of each parent begin
  for (const TopNode& node : nodes) {
    if (codes.empty() || codes.back() >> 3 != node.code >> 3)
      starts.push_back(static_cast<uint32_t>(codes.size()));
    codes.push_back(node.code);
  }
  std::vector<uint64_t> fills(starts.size());
  const FindFills<uint64_t> find_fills = {
      .parents = {starts.data(), starts.size(), codes.size()},
      .child_keys = codes.data(),
      .frame = {nullptr, 0, static_cast<int>(dag::kLeafLog2 + height) + kLog2UnitsPerVoxel},
      .grid_end = static_cast<int32_t>(resolution_) * kUnitsPerVoxel,
      .inside = states_.ref(rule_),
      .fills = fills.data()};
  parallel_for(size_t{0}, fills.size(), [&](size_t i) { find_fills(i); });
  for (size_t i = 0; i < fills.size(); ++i)
    for (uint64_t octant = 0; octant < 8; ++octant) {
      const uint64_t fill = fills[i] >> 8 * octant & 0xff;
      if (fill == 0) continue;
      const uint64_t slot = fill & 0x7f;
      const TopNode* node = find(slot);
      if (node == nullptr) throw Error("the inside has a material that no surface has");
      nodes.push_back(*node);
      nodes.back().code = codes[starts[i]] >> 3 << 3 | octant;
      GridEnd{resolution_}.add_counts(dag, height, slot % kCuts, 1);
    }
  sort_by_code(nodes);
}

std::vector<TopNode> TopFills::parts_above(uint32_t height) const {
  std::vector<TopNode> parts;
  const GridEnd end = {resolution_};
  const uint32_t side = dag::kLeafSide << (height + 1);
  if (side >= resolution_) return parts;
  for (uint32_t slot = 0; slot < kFillsPerLevel; ++slot) {
    const uint32_t material = slot / kCuts, cuts = slot % kCuts;
    if (!end.cuts_cubes(side, cuts)) continue;
    end.each_part(side, cuts, [&](uint64_t octant, uint32_t part_cuts) {
      const TopNode* part = find(fill_slot(material, part_cuts));
      if (part == nullptr) return;  // the scene does not have this material
      parts.push_back(*part);
      parts.back().code = uint64_t{slot} << 3 | octant;
    });
  }
  return parts;
}

}  // namespace vox::voxelize
