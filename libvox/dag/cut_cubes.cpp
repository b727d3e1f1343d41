#include "libvox/dag/cut_cubes.h"

#include <algorithm>

#include "libvox/base/morton.h"

namespace vox::dag {

VoxelBox box_of_cubes(const VoxelBox& box, uint32_t side) {
  constexpr uint32_t kShareOfSide = 8;  // of the box's longest side
  const VoxelBox inside = intersection(box, cube_at({0, 0, 0}, side));
  const Int3 size = inside.size();
  const auto longest = static_cast<uint32_t>(std::max({size.x, size.y, size.z}));
  const auto cube = static_cast<int32_t>(std::max(kLeafSide, std::bit_floor(longest / kShareOfSide)));
  VoxelBox result;
  for (uint32_t k = 0; k < 3; ++k) {
    result.min[k] = inside.min[k] / cube * cube;
    result.max[k] = (inside.max[k] + cube - 1) / cube * cube;
  }
  return result;
}

namespace {

bool is_covered(VoxelBox box, std::span<const VoxelBox> region) {
  const auto first =
      std::ranges::find_if(region, [&](const VoxelBox& one) { return !intersection(box, one).empty(); });
  if (first == region.end()) return false;
  const std::span<const VoxelBox> others(first + 1, region.end());
  for (uint32_t k = 0; k < 3; ++k) {
    VoxelBox below = box, above = box;
    below.max[k] = box.min[k] = std::max(box.min[k], first->min[k]);
    above.min[k] = box.max[k] = std::min(box.max[k], first->max[k]);
    for (const VoxelBox& beside : {below, above})
      if (!beside.empty() && !is_covered(beside, others)) return false;
  }
  return true;
}

}  // namespace

Overlap overlap(const VoxelBox& box, std::span<const VoxelBox> region) {
  if (is_covered(box, region)) return Overlap::Whole;
  const bool meets =
      std::ranges::any_of(region, [&](const VoxelBox& one) { return !intersection(box, one).empty(); });
  return meets ? Overlap::Part : Overlap::None;
}

namespace {

uint32_t child_of(const FrozenDag& dag, uint32_t level, uint32_t number, uint32_t octant) {
  if (number == kNoNode) return kNoNode;
  const uint32_t* node = dag.levels[level].node(number);
  return (node[0] >> octant & 1) != 0 ? node[child_word(node[0], octant)] : kNoNode;
}

}  // namespace

CutCubes find_cut_cubes(const FrozenDag& whole, const FrozenDag& before, const FrozenDag& after,
                        const VoxelRegion& region) {
  CutCubes cut(whole.levels.size());
  const auto root = [](const FrozenDag& dag) { return dag.empty() ? kNoNode : 0; };
  cut[0].push_back({.corner = {0, 0, 0}, .whole = root(whole), .before = root(before), .after = root(after)});
  for (uint32_t level = 0; level < whole.depth(); ++level) {
    const uint32_t half = whole.level_side(level + 1);
    for (CutCube& cube : cut[level])
      for (uint32_t octant = 0; octant < 8; ++octant) {
        const Int3 corner = cube.corner + octant_corner(octant, static_cast<int32_t>(half));
        const Overlap place = overlap(cube_at(corner, half), region);
        const uint32_t of_whole = child_of(whole, level, cube.whole, octant),
                       of_after = child_of(after, level, cube.after, octant);
        CutChild& child = cube.children[octant];
        if (place == Overlap::None) {
          if (of_whole != kNoNode) child = {Origin::Whole, of_whole};
        } else if (place == Overlap::Whole) {
          if (of_after != kNoNode) child = {Origin::Part, of_after};
        } else if (of_whole != kNoNode || of_after != kNoNode) {
          child = {Origin::Cut, static_cast<uint32_t>(cut[level + 1].size())};
          cut[level + 1].push_back({.corner = corner,
                                    .whole = of_whole,
                                    .before = child_of(before, level, cube.before, octant),
                                    .after = of_after});
        }
      }
  }
  return cut;
}

std::vector<std::vector<uint32_t>> children_from(Origin origin, const CutCubes& cut) {
  std::vector<std::vector<uint32_t>> numbers(cut.size());
  for (size_t level = 0; level + 1 < cut.size(); ++level) {
    for (const CutCube& cube : cut[level])
      for (const CutChild& child : cube.children)
        if (child.origin == origin) numbers[level + 1].push_back(child.number);
    std::ranges::sort(numbers[level + 1]);
    std::vector<uint32_t>& next = numbers[level + 1];
    next.erase(std::unique(next.begin(), next.end()), next.end());
  }
  return numbers;
}

}  // namespace vox::dag
