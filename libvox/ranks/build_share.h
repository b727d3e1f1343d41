// Builds a scene's DAG with several ranks, bit for bit as one device builds it (voxelize/build_scene.h).
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/parts.h"
#include "libvox/ranks/ranks.h"
#include "libvox/rounds/round.h"
#include "libvox/voxelize/build_scene.h"

namespace vox::ranks {

// Keeps the rounds that ranks have built, so that a build that is stopped early can be resumed. The
// implementation decides where rounds are kept, and makes sure that they belong to the same scene.

// The numbers of pieces, which are runs of chunk cells, in ascending order.
using Pieces = std::vector<uint32_t>;

// The parts of a build that a keeper has.
struct KeptBuild {
  uint32_t pieces = 0;         // into how many its chunk cells are divided
  std::vector<Pieces> rounds;  // the pieces of each kept round; none is in two rounds
};

class RoundKeeper {
 public:
  virtual ~RoundKeeper() = default;

  // Is called once, on rank 0, before any other function. A new build is divided into `pieces` pieces.
  virtual KeptBuild begin(uint32_t pieces) = 0;

  // Returns the round with these pieces, which must be one of begin()'s. A round of another form is an error.
  // Ranks that are threads call load() and keep() concurrently.
  virtual rounds::Round load(const Pieces& pieces, const rounds::RoundForm& form) = 0;

  // Keeps a round of these pieces, which are in no other round. The round is stored completely when this
  // returns.
  virtual void keep(const rounds::Round& round, const Pieces& pieces) = 0;

  // Returns how long a rank builds, at most, before it keeps its round.
  virtual double seconds() const = 0;
};

// The time that each of a rank's phases took, and the numbers of items that it keeps and has sent.
struct ShareFigures {
  double voxelize_seconds = 0;  // triangles → leaves
  double build_seconds = 0;     // leaves → nodes of chunk cells, in its own store
  double exchange_seconds = 0;  // nodes → their owners
  double order_seconds = 0;     // owners' nodes → canonical order
  double keep_seconds = 0;      // keeping rounds, and loading those that were kept
  uint64_t items_kept = 0;      // the nodes and leaves that this rank owns
  uint64_t items_given = 0;     // those that this rank has sent to other owners
};

struct SceneShare {
  dag::DagPart part;
  // The result for the whole scene, on every rank. Its levels have no words; seconds and memory are this
  // rank's.
  voxelize::BuildResult whole;
  ShareFigures figures;
};

// Collective. All ranks must be given the same scene. With a keeper, kept rounds are not built again, and new
// rounds are kept; with nullptr nothing is kept. The template is instantiated for each device in
// build_share_*.
template <class Device>
SceneShare build_share(Device& device, Ranks& ranks, const scene::Scene& scene,
                       const scene::IndexedScene& indexed, const voxelize::Grid& grid,
                       const voxelize::BuildOptions& options, const hash::TableOptions& tables,
                       RoundKeeper* keeper);

// Collective. Brings all parts to rank 0, whose result has the words of the whole scene.
voxelize::BuildResult joined(Ranks& ranks, SceneShare share);

}  // namespace vox::ranks
