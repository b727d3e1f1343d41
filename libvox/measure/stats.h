// Statistics of scenes: of a DAG, of bricks, of the memory of each form, and of the voxels that two scenes share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/base/geometry.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/engine/engine.h"
#include "libvox/hash/batch.h"
#include "libvox/ranks/ranks.h"
#include "libvox/scene/palette.h"

namespace vox::measure {

// Statistics of a DAG, counted from its words: how many voxels and nodes it has, and how often nodes are
// shared.

// A histogram of how often nodes are used.
struct UseCounts {
  uint64_t most = 0;                   // uses of the most-used node
  std::array<uint64_t, 64> bins = {};  // bins[i] is the number of nodes with 2^i to 2^(i + 1) − 1 uses

  void add(uint64_t uses);
  UseCounts& operator+=(const UseCounts& other);
};

struct LevelStats {
  uint64_t svo_nodes = 0;            // in the octree
  uint64_t unique_nodes = 0;         // in the DAG
  uint64_t words = 0;                // words of the unique nodes
  uint64_t svo_words = 0;            // words of all nodes if nothing were shared
  hash::SizeCounts item_sizes = {};  // number of unique nodes for each number of words

  // The uses of nodes, counted in two ways: `pointers` counts the child pointers of the DAG that lead
  // to a node, with one pointer from outside for the root; `places` counts the nodes of the octree that a
  // node stands for.
  UseCounts pointers, places;

  LevelStats& operator+=(const LevelStats& other);
  double reduction() const {
    return unique_nodes == 0 ? 1 : static_cast<double>(svo_nodes) / static_cast<double>(unique_nodes);
  }
};

struct DagStats {
  uint64_t voxels = 0;
  std::array<uint64_t, scene::kPaletteSize> material_voxels = {};  // without materials, all are in 0
  VoxelBox filled = {};                                            // empty if there are no voxels
  uint64_t octree_masks = 0;       // nodes of an octree down to cubes of 2³ voxels, one byte each
  std::vector<LevelStats> levels;  // from the root's level down

  LevelStats all_levels() const;
};

// Counts a DAG that check_structure() accepts. `memory` is passed to dag::sums_over_nodes(): a larger DAG is counted
// in parts. Collective: each rank counts its share, and rank 0 gets the result.
DagStats count_dag(const dag::FrozenDag& dag, uint64_t memory = UINT64_MAX,
                   ranks::Ranks& ranks = ranks::alone());

// Returns the counts that are stored with the DAG: the numbers of voxels, nodes and words, and the filled box. All
// other counts are 0. Few nodes are read.
DagStats stated_counts(const dag::FrozenDag& dag);

// Throws Error if the counts stored with the DAG differ from those counted from its nodes.
void check_counts(const DagStats& counted, const dag::FrozenDag& dag);

// The memory that a scene takes in one of the forms in which voxels can be stored.
struct SceneSize {
  std::string name;  // for files, e.g. "pointer_octree"
  std::string text;  // for people
  uint64_t bytes = 0;
};

// Returns the sizes of a scene in these forms:
//
//   dense_occupancy      R³ voxels, 1 bit each
//   dense_materials      R³ voxels, 4 bits each if at most 15 materials occur, else 8; 0 is empty
//   pointerless_octree   a byte of child mask for every node of an octree down to cubes of 2³ voxels, and
//                        4 bits of material for each filled voxel
//   pointer_octree       as many of the DAG's nodes and leaves as the octree has, with pointers of 32 bits,
//                        even if these could not address them all
//   svdag                the DAG's nodes and leaves, with separate levels
//   pointer_octree_geometry, svdag_geometry
//                        both for the scene without materials
//
// dense_materials is absent if the scene has no materials, the last two if `geometry` is absent.
std::vector<SceneSize> scene_sizes(const dag::FrozenDag& dag, const DagStats& stats,
                                   const std::optional<DagStats>& geometry);

// Returns the bits per filled voxel; 0 if there are none.
double bits_per_voxel(const SceneSize& size, uint64_t voxels);

// Statistics of bricks: a comparison with the dense volume and with the SVDAG of the same voxels, and the
// memory that bricks of other sizes and types would take.

// The memory that bricks of one set of types take, for each brick size.
struct BrickTypesRow {
  std::string name;
  std::vector<bricks::BrickTotals> sizes;  // for sides of 4 to 64 voxels
};

struct BricksStats {
  bricks::FrozenBricks bricks;
  // The last row allows all types. There are no rows if even the largest bricks that are tried would have a sparse
  // root: reading such a volume as a whole would take too long.
  std::vector<BrickTypesRow> rows;
  std::optional<uint64_t> svdag_bytes;  // size of an SVDAG of the same voxels, if known
  std::optional<uint64_t> hash_bytes;   // size of a spatial hash of the same voxels, if known

  const std::vector<bricks::BrickTotals>& all_types() const { return rows.back().sizes; }

  // Returns the sizes of the bricks, the SVDAG and the spatial hash, as far as they are known.
  std::vector<SceneSize> forms() const;
  // Returns a form's size divided by the SVDAG's.
  double to_svdag(const SceneSize& form) const;

  double filled_share() const;   // the share of the volume's voxels that are filled
  double dense_share() const;    // size in bytes divided by that of the dense volume
  double overhead_bits() const;  // bits per filled value beyond the value itself; 0 if nothing is filled
};

// Returns the share of the volume's voxels that lie in bricks of a type.
double share_of(uint32_t type, const bricks::BrickTotals& totals);

// Measures dense, octree and list bricks each alone, the thesis's four types, and all types (Labschütz,
// Figure 6.1 and Table 6.3).
BricksStats measure_bricks(bricks::FrozenBricks bricks, Engine& engine);

// The voxels that two scenes on the same grid both fill. They are found by the editor's intersection
// (edit/tools.h), which works on the nodes of the two DAGs: nothing is unpacked, and parts that the scenes
// share cost nothing.
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

// Both scenes must have the same resolution, and check_structure() must accept both. Either may have
// materials. Throws Error if the counts stored with a scene differ from those counted from its nodes.
SceneOverlap overlap_of(Engine& engine, const dag::FrozenDag& first, const dag::FrozenDag& second);

// Returns `count` random filled voxels of a scene, at which a benchmark edits it. They follow from `seed`: on the way
// from the root, each child of a node is equally likely. The result is the same in every run and on every machine.
// The DAG must be one that
// check_structure() accepts, with at least one voxel.
std::vector<Int3> filled_places(const dag::FrozenDag& dag, uint64_t seed, uint64_t count);

}  // namespace vox::measure
