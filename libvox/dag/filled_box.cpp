// Finds one face of the box at a time. Among the outermost nodes of a level it chooses the outermost
// children, and so on down to the leaves. Each unique node is visited once, however often it occurs.
#include "libvox/dag/filled_box.h"

#include <algorithm>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/dag/node.h"

namespace vox::dag {
namespace {

enum class Face { Low, High };

uint32_t outer_half(uint32_t axis, Face face) {
  return face == Face::Low ? lower_octants(axis) : ~lower_octants(axis) & 0xff;
}

// Returns the numbers of those children of these nodes that the mask `children` selects, each number once.
std::vector<uint32_t> chosen_children(const FrozenDag& dag, uint32_t level,
                                      const std::vector<uint32_t>& nodes, uint32_t children) {
  std::vector<uint32_t> below;
  for (const uint32_t number : nodes) {
    const uint32_t* node = dag.levels[level].node(number);
    for (uint32_t left = child_mask(node[0]) & children; left != 0; left &= left - 1)
      below.push_back(node[child_word(node[0], static_cast<uint32_t>(lowest_bit(left)))]);
  }
  std::sort(below.begin(), below.end());
  below.erase(std::unique(below.begin(), below.end()), below.end());
  return below;
}

// Returns the coordinate of the outermost filled voxel's face along the axis: the first voxel's, or the end
// behind the last one.
int32_t outermost(const FrozenDag& dag, uint32_t axis, Face face) {
  std::vector<uint32_t> nodes = {0};
  int32_t corner = 0;
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    const uint32_t outer = outer_half(axis, face);
    std::vector<uint32_t> below = chosen_children(dag, level, nodes, outer);
    const bool in_outer = !below.empty();
    if (!in_outer) below = chosen_children(dag, level, nodes, ~outer & 0xff);
    if (in_outer == (face == Face::High)) corner += static_cast<int32_t>(dag.level_side(level + 1));
    nodes = std::move(below);
  }
  uint64_t mask = 0;
  for (const uint32_t number : nodes) mask |= leaf_mask(dag.levels.back().node(number));
  if (mask == 0) throw Error("a leaf has no voxels").hint("a verification of the file says more");
  const VoxelBox box = leaf_bounds(mask);
  return corner + (face == Face::Low ? box.min : box.max)[axis];
}

}  // namespace

VoxelBox filled_box(const FrozenDag& dag) {
  if (dag.empty()) return {};
  const auto face = [&](Face f) {
    return Int3{outermost(dag, 0, f), outermost(dag, 1, f), outermost(dag, 2, f)};
  };
  return {face(Face::Low), face(Face::High)};
}

}  // namespace vox::dag
