// Fills all that cannot be reached from outside, from empty voxel to empty voxel through their faces (--inside flood).
//
// Space is divided into blocks of 64³ voxels that hold some of the surface, and larger empty nodes. The empty voxels of a
// block form regions, of which those at its faces are numbered:
//
//      ┌─────────┬─────────┐     a, b, c   regions of blocks; each is kept as the runs of voxels that it has on faces
//      │ a ╱ b   │         │     E         an empty node is a region
//      │  ╱──────┼─╲  c    │     ·         a region that touches no face is enclosed in its block
//      │ ╱ (·)   │  ╲      │
//      ├─────────┴─────────┤     Regions of neighbors whose runs overlap are one. What is not one with the outside is
//      │         E         │     inside. The regions of a block are found a second time when it is filled.
//      └───────────────────┘
//
// So the memory is that of the runs on faces of blocks at the surface.
#pragma once

#include <cstdint>

#include "libvox/dag/frozen_dag.h"

namespace vox::voxelize {

struct FloodedScene {
  dag::FrozenDag dag;
  uint64_t filled = 0;  // voxels that the flood has not reached
};

// Everything outside of the grid is outside. Filled voxels have `material`. The voxels of the surface stay as they are.
// `memory_limit` is that of HostStore.
FloodedScene flooded(dag::FrozenDag surface, uint8_t material, uint64_t memory_limit = 0);

}  // namespace vox::voxelize
