// Which voxels two scenes of one grid both fill. The intersection of edits finds them (edit/combine.h), on the
// nodes of the two DAGs: nothing is unpacked, and what the scenes share costs nothing.
#pragma once

#include <optional>

#include "libvox/dag/frozen_dag.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/dag_stats.h"

namespace vox::measure {

struct SceneOverlap {
  dag::FrozenDag both;     // the voxels that both fill, with the materials of the first scene if it has some
  DagStats first, second;  // of the scenes
  // Of the voxels that both fill, by the materials of the first scene, and, where it has some, of the second.
  DagStats both_of_first;
  std::optional<DagStats> both_of_second;

  uint64_t only_first() const { return first.voxels - both_of_first.voxels; }
  uint64_t only_second() const { return second.voxels - both_of_first.voxels; }
};

// Both have the same resolution and are ones that check_structure() accepts; either, or none, may have
// materials. Throws Error where the counts that they come with are not those of their nodes.
SceneOverlap overlap_of(Engine& engine, const dag::FrozenDag& first, const dag::FrozenDag& second);

}  // namespace vox::measure
