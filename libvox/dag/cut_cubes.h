// The cubes of a scene that the box of an edited part cuts, from the root's down (graft.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libvox/base/geometry.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"

namespace vox::dag {

inline constexpr uint32_t kNoNode = UINT32_MAX;

inline NodeKind kind_at(const FrozenDag& dag, uint32_t level) {
  return level == dag.depth() ? NodeKind::Leaf : NodeKind::Inner;
}

// Returns the box around another one whose faces are faces of cubes. Larger cubes would make the part larger, smaller ones
// the number of cubes that the box cuts.
VoxelBox box_of_cubes(const VoxelBox& box, uint32_t side);

// Where a child of a cut node comes from. Its number is that of a node of the whole or of the part, or its place among
// the cut nodes of the next level.
enum class Origin : uint8_t { Nowhere, Whole, Part, Cut };
struct CutChild {
  Origin origin = Origin::Nowhere;
  uint32_t number = 0;
};

// A cube that lies partly inside the box, with its node in the whole and in the part before and after the edits.
struct CutCube {
  Int3 corner;
  uint32_t whole = kNoNode, before = kNoNode, after = kNoNode;
  std::array<CutChild, 8> children = {};
  // The node in the result: its id, or kNoNode if nothing is left; the material if it is full of one, else -1.
  uint32_t id = kNoNode;
  int32_t material = -1;
  Digest digest = {};
};
using CutCubes = std::vector<std::vector<CutCube>>;  // of each level

// Finds the cubes that a box of whole cubes cuts; no leaf is among them. `before` and `after` are the part inside the box
// before and after the edits.
CutCubes find_cut_cubes(const FrozenDag& whole, const FrozenDag& before, const FrozenDag& after,
                        const VoxelBox& box);

// Returns the numbers of the children of cut cubes that come from there, for each level, in order.
std::vector<std::vector<uint32_t>> children_from(Origin origin, const CutCubes& cut);

}  // namespace vox::dag
