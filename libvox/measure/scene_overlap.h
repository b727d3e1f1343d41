// The voxels that two scenes on the same grid both fill. They are found by the editor's intersection
// (edit/combine.h), which works on the nodes of the two DAGs: nothing is unpacked, and parts that the scenes
// share cost nothing.
#pragma once

#include <optional>

#include "libvox/dag/frozen_dag.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/dag_stats.h"

namespace vox::measure {

struct SceneOverlap {
  dag::FrozenDag both;     // the common voxels, with the first scene's materials if it has any
  DagStats first, second;  // statistics of each scene
  // Statistics of the common voxels, with the materials of the first scene and, if it has materials, of the
  // second.
  DagStats both_of_first;
  std::optional<DagStats> both_of_second;

  uint64_t only_first() const { return first.voxels - both_of_first.voxels; }
  uint64_t only_second() const { return second.voxels - both_of_first.voxels; }
};

// Both scenes must have the same resolution and be ones that check_structure() accepts; either may have
// materials. Throws Error if the counts stored with a scene differ from those counted from its nodes.
SceneOverlap overlap_of(Engine& engine, const dag::FrozenDag& first, const dag::FrozenDag& second);

}  // namespace vox::measure
