#include "libvox/measure/stats.h"

#include <fmt/format.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/bricks/sparse_root.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/level_values.h"
#include "libvox/dag/node.h"
#include "libvox/dag/paged_level.h"
#include "libvox/dag/verify.h"
#include "libvox/dag/voxels_by_material.h"
#include "libvox/dag/walk.h"
#include "libvox/edit/edit_session.h"

namespace vox::measure {
namespace {

// Sums over nodes of a level. Those of leaves are voxels by material, and cubes of 2³ voxels that are not empty, too.
struct NodeSums {
  LevelStats level;
  std::array<uint64_t, scene::kPaletteSize> materials = {};
  uint64_t blocks = 0;

  NodeSums& operator+=(const NodeSums& other) {
    level += other.level;
    for (size_t i = 0; i < materials.size(); ++i) materials[i] += other.materials[i];
    blocks += other.blocks;
    return *this;
  }

  void add(const uint32_t* node, const dag::LevelForm& form, const dag::NodeUses& uses) {
    const uint64_t size = dag::words_of(node, form.kind, form.materials);
    level.svo_nodes += uses.places;
    level.unique_nodes += 1;
    level.words += size;
    level.svo_words += uses.places * size;
    level.item_sizes[size] += 1;
    level.pointers.add(uses.pointers);
    level.places.add(uses.places);
    if (form.kind == dag::NodeKind::Leaf) add_leaf(node, uses.places, form.materials);
  }

 private:
  void add_leaf(const uint32_t* leaf, uint64_t places, bool has_materials) {
    const uint64_t mask = dag::leaf_mask(leaf);
    blocks += places * static_cast<uint64_t>(popcount(dag::filled_blocks(mask)));
    if (!has_materials) {
      materials[0] += places * static_cast<uint64_t>(popcount(mask));
      return;
    }
    dag::VoxelCounts voxels = {};
    dag::add_leaf(voxels, leaf);
    for (size_t m = 0; m < voxels.size(); ++m) materials[m] += places * voxels[m];
  }
};

}  // namespace

void UseCounts::add(uint64_t uses) {
  most = std::max(most, uses);
  // A node without uses, which only a damaged file has, is in no bin.
  if (uses > 0) ++bins[static_cast<size_t>(std::bit_width(uses)) - 1];
}

UseCounts& UseCounts::operator+=(const UseCounts& other) {
  most = std::max(most, other.most);
  for (size_t i = 0; i < bins.size(); ++i) bins[i] += other.bins[i];
  return *this;
}

LevelStats& LevelStats::operator+=(const LevelStats& other) {
  svo_nodes += other.svo_nodes;
  unique_nodes += other.unique_nodes;
  words += other.words;
  svo_words += other.svo_words;
  for (size_t i = 0; i < item_sizes.size(); ++i) item_sizes[i] += other.item_sizes[i];
  pointers += other.pointers;
  places += other.places;
  return *this;
}

LevelStats DagStats::all_levels() const {
  LevelStats sum;
  for (const LevelStats& level : levels) sum += level;
  return sum;
}

namespace {

// Collective. Returns what all ranks have counted, on rank 0.
DagStats of_all(ranks::Ranks& ranks, const DagStats& own) {
  DagStats sum;
  sum.levels.resize(own.levels.size());
  const std::vector<LevelStats> levels = brought_to_first(ranks, own.levels);
  for (size_t i = 0; i < levels.size(); ++i) sum.levels[i % sum.levels.size()] += levels[i];
  for (size_t i = 0; i < own.material_voxels.size(); ++i)
    sum.material_voxels[i] = sum_of(ranks, own.material_voxels[i]);
  sum.octree_masks = sum_of(ranks, own.octree_masks);
  return sum;
}

}  // namespace

DagStats count_dag(const dag::FrozenDag& dag, uint64_t memory, ranks::Ranks& ranks) {
  DagStats stats;
  const auto sums = dag::sums_over_nodes<NodeSums>(
      dag, memory, ranks, [&](uint32_t level, const uint32_t* node, const dag::NodeUses& uses, NodeSums& to) {
        to.add(node, dag::form_of(dag, level), uses);
      });
  for (const NodeSums& level : sums) {
    stats.levels.push_back(level.level);
    stats.octree_masks += level.level.svo_nodes + level.blocks;
    for (size_t i = 0; i < level.materials.size(); ++i) stats.material_voxels[i] += level.materials[i];
  }
  stats = of_all(ranks, stats);
  for (const uint64_t voxels : stats.material_voxels) stats.voxels += voxels;
  if (!dag.empty() && ranks.rank() == 0) stats.filled = dag::filled_box(dag);
  return stats;
}

DagStats stated_counts(const dag::FrozenDag& dag) {
  DagStats stats;
  stats.voxels = dag.voxels;
  for (const dag::DagLevel& level : dag.levels) {
    LevelStats& stated = stats.levels.emplace_back();
    stated.svo_nodes = level.svo_nodes;
    stated.unique_nodes = level.nodes;
    stated.words = level.words.size();
  }
  if (!dag.empty()) stats.filled = dag::filled_box(dag);
  return stats;
}

void check_counts(const DagStats& counted, const dag::FrozenDag& dag) {
  bool same = counted.voxels == dag.voxels;
  for (size_t level = 0; level < dag.levels.size(); ++level)
    same = same && counted.levels[level].unique_nodes == dag.levels[level].nodes &&
           counted.levels[level].svo_nodes == dag.levels[level].svo_nodes;
  if (!same)
    throw Error("the counts stored in the file differ from those of its nodes")
        .hint("a verification of the file says more");
}

namespace {

double ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::vector<SceneSize> BricksStats::forms() const {
  std::vector<SceneSize> forms = {
      {"bricks", fmt::format("bricks of {}³", bricks.shape().side()), bricks.bytes()}};
  if (svdag_bytes) forms.push_back({"svdag", "SVDAG", *svdag_bytes});
  if (hash_bytes) forms.push_back({"hash", "spatial hash", *hash_bytes});
  return forms;
}

double BricksStats::to_svdag(const SceneSize& form) const {
  return ratio(form.bytes, svdag_bytes.value_or(0));
}

double BricksStats::filled_share() const {
  return ratio(bricks.filled, bricks.info.box().voxels());
}

double BricksStats::dense_share() const {
  return ratio(bricks.bytes(), bricks.info.bytes());
}

double BricksStats::overhead_bits() const {
  if (bricks.filled == 0) return 0;
  const double values = static_cast<double>(bricks.filled) * volume::value_bytes(bricks.info.type);
  return (static_cast<double>(bricks.bytes()) - values) * 8 / static_cast<double>(bricks.filled);
}

double share_of(uint32_t type, const bricks::BrickTotals& totals) {
  return ratio(totals.voxels[type], std::accumulate(totals.voxels.begin(), totals.voxels.end(), uint64_t{0}));
}

BricksStats measure_bricks(bricks::FrozenBricks bricks, Engine& engine) {
  BricksStats stats = {.bricks = std::move(bricks), .rows = {}, .svdag_bytes = {}, .hash_bytes = {}};
  const volume::Volume volume = bricks::bricks_volume(stats.bricks);
  if (bricks::group_levels(volume.info.size, bricks::kMostTriedLog2, bricks::BrickRoot::Auto) > 0)
    return stats;
  for (const bricks::BrickTypeSet& set : bricks::kBrickTypeSets) {
    bricks::BricksOptions options;
    options.types = set.types;
    stats.rows.push_back({set.title, bricks::measure_bricks(engine.handle(), volume, options)});
  }
  return stats;
}

namespace {

// Returns the bytes of `voxels` voxels with `bits` bits each. Dividing by eight first avoids an overflow for
// 2^60 voxels.
uint64_t packed_bytes(uint64_t voxels, uint64_t bits) {
  return voxels / 8 * bits + (voxels % 8 * bits + 7) / 8;
}

uint64_t octree_materials(const dag::FrozenDag& dag, const DagStats& stats) {
  return dag.materials ? packed_bytes(stats.voxels, 4) : 0;
}

}  // namespace

std::vector<SceneSize> scene_sizes(const dag::FrozenDag& dag, const DagStats& stats,
                                   const std::optional<DagStats>& geometry) {
  const uint64_t grid = uint64_t{dag.resolution} * dag.resolution * dag.resolution;
  const auto materials = std::count_if(stats.material_voxels.begin(), stats.material_voxels.end(),
                                       [](uint64_t n) { return n > 0; });
  const LevelStats all = stats.all_levels();
  std::vector<SceneSize> sizes;
  sizes.push_back({"dense_occupancy", "dense grid, 1 bit a voxel", packed_bytes(grid, 1)});
  if (dag.materials) {
    const uint64_t bits = materials <= 15 ? 4 : 8;
    sizes.push_back({"dense_materials",
                     "dense grid, " + std::to_string(bits) + " bits a voxel with its material",
                     packed_bytes(grid, bits)});
  }
  sizes.push_back({"pointerless_octree",
                   dag.materials ? "pointerless octree, 1 byte a node, 4 bits a material"
                                 : "pointerless octree, 1 byte a node",
                   stats.octree_masks + octree_materials(dag, stats)});
  sizes.push_back(
      {"pointer_octree", "pointer octree, the DAG's nodes and leaves unshared", all.svo_words * 4});
  sizes.push_back({"svdag", "SVDAG, nodes and leaves only", all.words * 4});
  if (!geometry) return sizes;
  const LevelStats bare = geometry->all_levels();
  sizes.push_back({"pointer_octree_geometry", "pointer octree without materials", bare.svo_words * 4});
  sizes.push_back({"svdag_geometry", "SVDAG without materials, nodes and leaves only", bare.words * 4});
  return sizes;
}

double bits_per_voxel(const SceneSize& size, uint64_t voxels) {
  return voxels == 0 ? 0 : 8 * static_cast<double>(size.bytes) / static_cast<double>(voxels);
}

namespace {

// Returns the voxels of `scene` that `other` fills too, with the materials of `scene`. All scenes of a
// session either have materials or have none, so those of `other` are removed or added to match.
dag::FrozenDag intersected(Engine& engine, const dag::FrozenDag& scene, const dag::FrozenDag& other) {
  const std::unique_ptr<edit::EditSession> session =
      edit::make_edit_session(engine.handle(), engine.table(), scene);
  edit::CombineEdit combine = {.mode = edit::CombineMode::Intersect};
  if (other.materials == scene.materials)
    combine.scene = session->add_scene(other);
  else
    combine.scene =
        session->add_scene(scene.materials ? dag::with_one_material(other) : dag::without_materials(other));
  const edit::Edit edit = combine;
  session->apply({&edit, 1});
  return session->freeze();
}

DagStats checked_stats(const dag::FrozenDag& dag) {
  throw_if_cancelled();
  DagStats stats = count_dag(dag);
  check_counts(stats, dag);
  return stats;
}

}  // namespace

SceneOverlap overlap_of(Engine& engine, const dag::FrozenDag& first, const dag::FrozenDag& second) {
  if (first.resolution != second.resolution) throw Error("the scenes have different resolutions");
  SceneOverlap overlap;
  overlap.first = checked_stats(first);
  overlap.second = checked_stats(second);
  overlap.both = intersected(engine, first, second);
  overlap.both_of_first = checked_stats(overlap.both);
  if (second.materials) overlap.both_of_second = checked_stats(intersected(engine, second, first));
  return overlap;
}

namespace {

// A sequence of random choices from a seed.
class PlaceDice {
 public:
  explicit PlaceDice(uint64_t seed) : state_(mix64(seed + 1)) {}

  // Returns one of the set bits of the mask, which must not be 0.
  uint32_t bit_of(uint64_t mask) {
    state_ += 0x9e3779b97f4a7c15;  // from the golden ratio; the state repeats only after 2^64 steps
    uint64_t left = mix64(state_) % static_cast<uint64_t>(popcount(mask));
    for (; left > 0; --left) mask &= mask - 1;
    return static_cast<uint32_t>(lowest_bit(mask));
  }

 private:
  uint64_t state_;
};

Int3 filled_place(const dag::FrozenDag& dag, PlaceDice& dice) {
  Int3 corner = {0, 0, 0};
  uint32_t at = 0;
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    const uint32_t* const node = dag.levels[level].node(at);
    const uint32_t child = dice.bit_of(dag::child_mask(*node));
    corner = corner + octant_corner(child, static_cast<int32_t>(dag.level_side(level + 1)));
    at = node[dag::child_word(*node, child)];
  }
  const uint64_t mask = dag::leaf_mask(dag.levels[dag.depth()].node(at));
  return corner + cube_place(dice.bit_of(mask));
}

}  // namespace

std::vector<Int3> filled_places(const dag::FrozenDag& dag, uint64_t seed, uint64_t count) {
  PlaceDice dice(seed);
  std::vector<Int3> places;
  for (uint64_t i = 0; i < count; ++i) places.push_back(filled_place(dag, dice));
  return places;
}

}  // namespace vox::measure
