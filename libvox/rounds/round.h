// A round: the nodes that a device built of a scene before its memory was full, as the host keeps them. They
// can be loaded into a store again.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/digest.h"
#include "libvox/rounds/spilled_array.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/cell_states.h"

namespace vox::rounds {

// The unique nodes of one level, one behind the other. Child pointers are the children's numbers in the
// round's next level. A node takes 4 bytes for each of its words and one more.
struct RoundLevel {
  SpilledArray<uint32_t> words;
  SpilledArray<uint8_t> sizes;  // the number of words of each node

  uint64_t nodes() const { return sizes.size(); }
};

// A node on the round's first level, at one place of the scene.
struct RoundRoot {
  uint64_t code = 0;      // the Morton code of its place on that level
  uint32_t number = 0;    // the node's number; several roots may have the same
  int32_t material = -1;  // that of all its voxels if it is full and they have only one, else -1
  dag::Digest digest;
};

struct Round {
  uint32_t level = 0;                       // the DAG's level on which the roots are
  std::vector<RoundRoot> roots;             // in the order in which cells were built
  std::vector<RoundLevel> levels;           // begins with the roots' level, ends with the leaves
  std::vector<voxelize::CellState> states;  // with options.solid, those of the round's chunk cells
  voxelize::BuildResult result;             // its DAG's levels have only the counts of the octree
};

}  // namespace vox::rounds
