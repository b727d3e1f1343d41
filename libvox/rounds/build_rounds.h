// Builds a scene's DAG that is larger than its device's memory: in rounds, whose nodes go to the host, and are merged
// there level by level. It is bit for bit what a device builds that has the memory (voxelize/build_scene.h).
#pragma once

#include "libvox/rounds/spilled_array.h"
#include "libvox/voxelize/build_scene.h"

namespace vox::rounds {

struct SpillOptions {
  SpillPlace place = {};
  // For tests, which have tiny scenes; 0: as memory asks for.
  uint32_t pieces = 0;          // into which a scene is cut: each is a round
  uint64_t nodes_at_once = 0;   // that go through the device
  uint32_t least_portions = 1;  // into which a level is cut when it is merged
};

// Where the time has gone, and what the host has kept.
struct RoundsFigures {
  uint64_t rounds = 0;
  uint64_t nodes = 0;                           // of all rounds, in which the same node may be several times
  uint64_t bytes = 0;                           // of their words
  double build_seconds = 0, spill_seconds = 0;  // of the rounds: triangles → nodes; nodes → host
  double merge_seconds = 0;
  double order_seconds = 0;
};

struct RoundsResult {
  voxelize::BuildResult whole;
  RoundsFigures figures;
};

// With options.solid a round takes whole rows of chunk cells (voxelize/build_cells.h). Compiled for each device in
// build_rounds_*.
template <class Device>
RoundsResult build_in_rounds(Device& device, const scene::Scene& scene, const scene::IndexedScene& indexed,
                             const voxelize::Grid& grid, const voxelize::BuildOptions& options,
                             const hash::TableOptions& tables, const SpillOptions& spill);

}  // namespace vox::rounds
