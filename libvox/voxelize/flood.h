// Fills all voxels that cannot be reached from outside through empty voxels, from face to face (--inside flood).
//
// Space is divided into blocks of 64³ voxels that hold some of the surface, and larger empty nodes. The empty voxels of
// a block form regions. Those that touch its faces are numbered:
//
//      ┌─────────┬─────────┐     a, b, c   regions of blocks; each is kept as the runs of voxels that it has on faces
//      │ a ╱ b   │         │     E         an empty node is a region
//      │  ╱──────┼─╲  c    │     ·         a region that touches no face is enclosed in its block
//      │ ╱ (·)   │  ╲      │
//      ├─────────┴─────────┤     Regions of neighbors whose runs overlap are one. Regions not joined to the outside
//      │         E         │     are inside. The regions of a block are found a second time when it is filled.
//      └───────────────────┘
//
// So memory is needed only for the runs on the faces of blocks at the surface.
#pragma once

#include <cstdint>

#include "libvox/dag/frozen_dag.h"

namespace vox::voxelize {

struct FloodedScene {
  dag::FrozenDag dag;
  uint64_t filled = 0;  // the number of voxels that the flood has not reached
};

// Space beyond the grid is outside. The voxels that are filled get `material`. The voxels of the surface stay as they
// are. `memory_limit` is passed to HostStore.
FloodedScene flooded(dag::FrozenDag surface, uint8_t material, uint64_t memory_limit = 0);

}  // namespace vox::voxelize
