// A round: what a device has built of a scene before its memory was full, brought to the host, from where it can be
// loaded into a store again.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/digest.h"
#include "libvox/rounds/spilled_array.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/cell_states.h"

namespace vox::rounds {

// The unique nodes of one level, one behind the other. Child pointers are the children's numbers in the round's next
// level. A node takes 4 bytes a word and one more.
struct RoundLevel {
  SpilledArray<uint32_t> words;
  SpilledArray<uint8_t> sizes;  // how many words each node has

  uint64_t nodes() const { return sizes.size(); }
};

// A node on the round's first level.
struct RoundRoot {
  uint64_t code = 0;      // the Morton code of its place on that level
  uint32_t number = 0;    // of the node; roots may be the same
  int32_t material = -1;  // of all its voxels, where it is full and they have but one
  dag::Digest digest;
};

struct Round {
  uint32_t level = 0;                       // of the DAG, on which the roots stand
  std::vector<RoundRoot> roots;             // in the order in which cells were built
  std::vector<RoundLevel> levels;           // the roots' first, leaves last
  std::vector<voxelize::CellState> states;  // with options.solid: of the round's chunk cells
  voxelize::BuildResult result;  // counts and seconds; the levels of its DAG have counts of the octree alone
};

}  // namespace vox::rounds
