// Builds a scene's DAG with several ranks, bit for bit as one device builds it (voxelize/build_scene.h).
#pragma once

#include "libvox/dag/dag_part.h"
#include "libvox/ranks/ranks.h"
#include "libvox/ranks/round_keeper.h"
#include "libvox/voxelize/build_scene.h"

namespace vox::ranks {

// Where a rank's time has gone, and what it has sent.
struct ShareFigures {
  double voxelize_seconds = 0;  // triangles → leaves
  double build_seconds = 0;     // leaves → nodes of chunk cells, in its own store
  double exchange_seconds = 0;  // nodes → their owners
  double order_seconds = 0;     // owners' nodes → canonical order
  double keep_seconds = 0;      // to keep rounds, and to load those that are kept
  uint64_t items_kept = 0;      // nodes and leaves that it owns
  uint64_t items_given = 0;     // that it has sent to other owners
};

struct SceneShare {
  dag::DagPart part;
  // Of the whole scene, on every rank, but that levels have no words; seconds and memory are this rank's.
  voxelize::BuildResult whole;
  ShareFigures figures;
};

// Collective; all are given the same scene. With a keeper, rounds that it has are not built again, and those that are
// built are kept; nullptr: nothing is. Compiled for each device in build_share_*.
template <class Device>
SceneShare build_share(Device& device, Ranks& ranks, const scene::Scene& scene,
                       const scene::IndexedScene& indexed, const voxelize::Grid& grid,
                       const voxelize::BuildOptions& options, const hash::TableOptions& tables,
                       RoundKeeper* keeper);

// Collective. Brings all parts to rank 0, whose result has the words of the whole scene.
voxelize::BuildResult joined(Ranks& ranks, SceneShare share);

}  // namespace vox::ranks
