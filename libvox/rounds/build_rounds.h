// Builds a scene's DAG that is larger than its device's memory. It is built in rounds: the nodes of each
// round go to the host, where all rounds are merged level by level. The result is bit for bit what a device
// with enough memory builds (voxelize/build_scene.h).
#pragma once

#include "libvox/rounds/round.h"
#include "libvox/voxelize/build_scene.h"

namespace vox::rounds {

struct SpillOptions {
  SpillPlace place = {};
  // The options below are for tests, which have tiny scenes. 0 means that memory decides.
  uint32_t pieces = 0;          // number of pieces of the scene, each of which is a round
  uint64_t nodes_at_once = 0;   // the most that go through the device at once
  uint32_t least_portions = 1;  // the least number of portions of a level that is merged
};

// The time that each phase took, and the amount of data that the host kept.
struct RoundsFigures {
  uint64_t rounds = 0;
  uint64_t nodes = 0;                           // nodes of all rounds; the same node may count several times
  uint64_t bytes = 0;                           // the size of all nodes' words
  double build_seconds = 0, spill_seconds = 0;  // triangles → nodes; nodes → host
  double merge_seconds = 0;
  double order_seconds = 0;
};

struct RoundsResult {
  voxelize::BuildResult whole;
  RoundsFigures figures;
};

// With options.solid, a round takes whole rows of chunk cells (voxelize/build_cells.h). The template is
// instantiated for each device in build_rounds_*.
template <class Device>
RoundsResult build_in_rounds(Device& device, const scene::Scene& scene, const scene::IndexedScene& indexed,
                             const voxelize::Grid& grid, const voxelize::BuildOptions& options,
                             const hash::TableOptions& tables, const SpillOptions& spill);

}  // namespace vox::rounds
