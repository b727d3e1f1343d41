// Builds a scene's DAG, however large it is: on one device or on several ranks, at once or in rounds. The result is bit
// for bit the same. README.md shows how data flows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/build/round.h"
#include "libvox/dag/walk.h"
#include "libvox/hash/table_options.h"
#include "libvox/ranks/ranks.h"
#include "libvox/voxelize/build_scene.h"

namespace vox::build {

// Keeps the rounds that ranks have built, so that a build that is stopped early can be resumed. The
// implementation decides where rounds are kept, and makes sure that they belong to the same scene.

// The numbers of pieces, which are runs of chunk cells, in ascending order.
using Pieces = std::vector<uint32_t>;

// The parts of a build that a keeper has kept.
struct KeptBuild {
  uint32_t pieces = 0;         // the number of pieces into which the chunk cells are divided
  std::vector<Pieces> rounds;  // the pieces of each kept round; none is in two rounds
};

class RoundKeeper {
 public:
  virtual ~RoundKeeper() = default;

  // Is called once, on rank 0, before any other function. A new build is divided into `pieces` pieces.
  virtual KeptBuild begin(uint32_t pieces) = 0;

  // Returns the round with these pieces, which must be one of begin()'s. A round of another form is an error.
  // Ranks that are threads call load() and keep() concurrently.
  virtual Round load(const Pieces& pieces, const RoundForm& form) = 0;

  // Keeps a round of these pieces, which are in no other round. The round is stored completely when this
  // returns.
  virtual void keep(const Round& round, const Pieces& pieces) = 0;

  // Returns for how long a rank may build before it keeps its round.
  virtual double seconds() const = 0;
};

// Rounds wait on the host until all are built, and rank 0 merges them there, so that the DAG may be larger than the
// devices.
struct SpillOptions {
  SpillPlace place = {};
  // The options below are for tests, which have tiny scenes. 0 means that memory decides.
  uint32_t pieces = 0;          // number of pieces of the scene, each of which is a round
  uint64_t nodes_at_once = 0;   // the most nodes that go through the device at once
  uint32_t least_portions = 1;  // the least number of portions of a level that is merged
  bool result_stays = false;    // true: the result stays in the folder even if memory has room
};

// The way in which a scene is built. It has no influence on the result.
struct BuildManner {
  std::optional<SpillOptions> spill = {};  // without it, all nodes stay on the devices
  RoundKeeper* keeper = nullptr;           // nothing is kept without it
};

// The triangles of a scene and what they become. Everything must outlive the build.
struct SceneInput {
  const scene::Scene& scene;
  const scene::IndexedScene& indexed;
  const voxelize::Grid& grid;
  const voxelize::BuildOptions& options;
};

// The time that each of a rank's phases took, and the amount of data that it has moved.
struct BuildFigures {
  double voxelize_seconds = 0;  // triangles → leaves
  double build_seconds = 0;     // leaves → nodes of chunk cells, in the rank's own store
  double spill_seconds = 0;     // nodes → host
  double keep_seconds = 0;      // keeping rounds, and loading those that were kept
  double merge_seconds = 0;     // equal nodes of all rounds and ranks become one
  double order_seconds = 0;     // merged nodes → canonical order
  // The rounds of all ranks that waited on the host, their nodes (equal nodes of different rounds count several times),
  // and the size of the nodes' words.
  uint64_t rounds = 0, nodes = 0, bytes = 0;
  uint64_t items_kept = 0;   // the nodes and leaves that this rank owns
  uint64_t items_given = 0;  // those that this rank has sent to other owners

  BuildFigures& operator+=(const BuildFigures& more);
};

struct SceneShare {
  // The result for the whole scene, on every rank; seconds and memory are this rank's. Its levels have words if `part`
  // is empty and this is rank 0.
  voxelize::BuildResult whole;
  // The run of each level that this rank holds. It is empty on all ranks if rank 0 holds the whole scene.
  std::optional<dag::DagPart> part;
  BuildFigures figures;
};

// Collective. All ranks must be given the same scene, and the same manner except that each process has a keeper of its
// own. Kept rounds are not built again, and new rounds are kept.
template <class Device>
SceneShare build_scene(Device& device, ranks::Ranks& ranks, const SceneInput& input,
                       const BuildManner& manner, const hash::TableOptions& tables);

// Writes a rank's figures to the log.
void log_share(const SceneShare& share, const ranks::Ranks& ranks, const std::string& device);

// Collective. Brings all parts to rank 0, whose result has the words of the whole scene.
voxelize::BuildResult joined(ranks::Ranks& ranks, SceneShare share);

// Takes the share's run of each level out of it. The runs of all ranks, one behind the other, are the whole scene.
dag::DagPart take_part(SceneShare& share, const ranks::Ranks& ranks);

}  // namespace vox::build
