#include "libvox/dag/derived.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/paged_memory.h"
#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/derived_dag.h"
#include "libvox/dag/digests.h"
#include "libvox/dag/level_values.h"
#include "libvox/dag/node.h"
#include "libvox/dag/paged_level.h"
#include "libvox/dag/verify.h"
#include "libvox/dag/voxels_by_material.h"
#include "libvox/dag/walk.h"

namespace vox::dag {
namespace {

// Builds the coarser DAG. The nodes of one level become its leaves, and their grandchildren, or the 2³ blocks
// of the leaves below, become its voxels. The nodes above may become equal where they differed.
class CoarserBuilder {
 public:
  CoarserBuilder(const FrozenDag& dag, uint32_t halvings, const CoarserMemory& memory, ranks::Ranks& ranks)
      : dag_(dag), leaf_level_(dag.depth() - halvings), memory_(memory), ranks_(ranks) {}

  void build(FrozenDag& result) {
    if (leaf_level_ + 2 <= dag_.depth() && dag_.materials) find_materials();
    find_voxels();
    materials_ = {};
    if (ranks_.rank() > 0) return;
    DerivedDag made(result, memory_.limit);
    made.hold(masks_.size() + voxel_materials_.size() * sizeof(uint32_t));
    const DagLevel& leaves = dag_.levels[leaf_level_];
    made.add_level(leaves.places.nodes(), nodes_at_once(leaves),
                   [&](const NodeNumbers& range, const auto& put) {
                     for_each_in_order(
                         leaves, range,
                         [&](const uint32_t* node) {
                           prefetch_children(node, masks_.data());
                           if (dag_.materials) prefetch_children(node, voxel_materials_.data());
                         },
                         [&](uint64_t number, const uint32_t* node) {
                           put(number, [&](uint32_t* words) { return leaf_of(node, words); });
                         });
                   });
    masks_ = {};
    voxel_materials_ = {};
    made.hold(0);
    made.add_levels_above(dag_);
    result.digest = digest_of(result, memory_.counts);
    count_octree(result, memory_.counts);
  }

 private:
  // Finds the materials of the nodes that become voxels.
  void find_materials() {
    materials_ = majority_materials(dag_, leaf_level_ + 2, memory_.counts, ranks_);
    if (ranks_.count() > 1) materials_ = brought_to_all(ranks_, materials_);
  }

  // Finds the voxels that the nodes of the level below the new leaves become, 2³ of each. Each level is read once, in
  // order, because its words may come from a file. Each rank does this for its share of the nodes, and rank 0 gets all.
  void find_voxels() {
    const uint32_t level = leaf_level_ + 1;
    const NodeNumbers own = own_nodes(ranks_, dag_.levels[level]);
    masks_.resize(own.size());
    if (dag_.materials) voxel_materials_.resize(masks_.size());
    parallel_for(own, [&](const NodeNumbers& range) {
      for_each_in_order(
          dag_.levels[level], range,
          [&](const uint32_t* node) {
            if (!materials_.empty()) prefetch_children(node, materials_.data());
          },
          [&](uint64_t number, const uint32_t* node) {
            const uint64_t place = number - own.begin();
            start_voxels(place);
            level == dag_.depth() ? find_blocks(place, node) : find_children(place, node);
          });
    });
    throw_if_cancelled();  // voxels of words that could not be read stay here
    if (ranks_.count() == 1) return;
    masks_ = brought_to_first(ranks_, masks_);
    voxel_materials_ = brought_to_first(ranks_, voxel_materials_);
  }

  void start_voxels(uint64_t place) {
    masks_[place] = 0;
    if (dag_.materials) voxel_materials_[place] = 0;
  }

  void put_voxel(uint64_t place, uint32_t octant, uint32_t material) {
    masks_[place] |= static_cast<uint8_t>(1u << octant);
    if (dag_.materials) voxel_materials_[place] |= material << 4 * octant;
  }

  // Each byte of a leaf's mask, a block of 2³ voxels, becomes one voxel.
  void find_blocks(uint64_t place, const uint32_t* leaf) {
    for (uint32_t block = 0; block < 8; ++block)
      if (const uint64_t voxels = leaf_mask(leaf) & uint64_t{0xff} << 8 * block; voxels != 0)
        put_voxel(place, block, dag_.materials ? majority_of(leaf, voxels) : 0);
  }

  void find_children(uint64_t place, const uint32_t* node) {
    visit_children(node, [&](uint32_t octant, uint32_t child) {
      put_voxel(place, octant, dag_.materials ? materials_[child] : 0);
    });
  }

  static uint8_t majority_of(const uint32_t* leaf, uint64_t voxels) {
    VoxelCounts counts = {};
    visit_bits(voxels, [&](uint32_t bit) { ++counts[leaf_material(leaf, bit)]; });
    return majority(counts);
  }

  uint32_t leaf_of(const uint32_t* node, uint32_t* words) const {
    LeafWriter leaf(words, dag_.materials);
    visit_children(node, [&](uint32_t octant, uint32_t child) {
      visit_bits(masks_[child], [&](uint32_t voxel) {
        leaf.put(octant * 8 + voxel, dag_.materials ? voxel_materials_[child] >> 4 * voxel & 15 : 0);
      });
    });
    return leaf.finish();
  }

  const FrozenDag& dag_;
  const uint32_t leaf_level_;  // the level whose nodes become leaves
  const CoarserMemory memory_;
  ranks::Ranks& ranks_;
  MaterialBytes materials_;  // for the nodes two levels below, which become voxels
  // For the nodes one level below, of this rank's share at first: which of their octants are voxels, and 4 bits of material
  // for each.
  std::vector<uint8_t, UninitializedAllocator<uint8_t>> masks_;
  Words voxel_materials_;
};

}  // namespace

std::vector<uint32_t> coarser_resolutions(uint32_t resolution) {
  std::vector<uint32_t> list;
  for (uint32_t r = (resolution + 1) / 2; r >= kLeafSide; r = (r + 1) / 2) list.push_back(r);
  return list;
}

uint32_t halvings_to(uint32_t wanted, uint32_t resolution) {
  const std::vector<uint32_t> levels = coarser_resolutions(resolution);
  if (levels.empty())
    throw UsageError(fmt::format("the resolution is {}, but a scene of {} voxels has no coarser level",
                                 wanted, resolution))
        .about("resolution");
  const auto distance = [&](uint32_t level) { return std::abs(int64_t{level} - int64_t{wanted}); };
  const auto nearest = std::ranges::min_element(levels, {}, distance);
  if (*nearest != wanted)
    throw UsageError(
        fmt::format(
            "the resolution is {}, but the coarser levels of a scene of {} voxels are {}; the nearest is {}",
            wanted, resolution, fmt::join(levels, ", "), *nearest))
        .about("resolution");
  return static_cast<uint32_t>(nearest - levels.begin()) + 1;
}

uint32_t halvings_below(uint64_t most_voxels, uint32_t resolution) {
  uint32_t halvings = 0;
  for (const uint64_t level : coarser_resolutions(resolution)) {
    if (uint64_t{resolution} * resolution * resolution <= most_voxels) break;
    resolution = static_cast<uint32_t>(level);
    ++halvings;
  }
  return halvings;
}

FrozenDag coarser(const FrozenDag& dag, uint32_t halvings, const CoarserMemory& memory, ranks::Ranks& ranks) {
  FrozenDag result = empty_dag(coarser_resolutions(dag.resolution).at(halvings - 1), dag.materials);
  if (!dag.empty()) CoarserBuilder(dag, halvings, memory, ranks).build(result);
  return result;
}

VoxelScene with_coarser_dag(VoxelScene scene, uint32_t halvings, FrozenDag dag) {
  if (scene.colors) scene.colors = coarser_colors(scene, halvings);
  scene.dag = std::move(dag);
  for (uint32_t i = 0; i < halvings; ++i) scene.voxel_size = scene.voxel_size * 2;
  return scene;
}

VoxelScene coarser(VoxelScene scene, uint32_t halvings, const CoarserMemory& memory, ranks::Ranks& ranks) {
  FrozenDag dag = coarser(scene.dag, halvings, memory, ranks);
  return with_coarser_dag(std::move(scene), halvings, std::move(dag));
}

namespace {

constexpr uint32_t kMaskWords = 2;  // words of a leaf without materials

Words leaves_with_material_0(const DagLevel& masks) {
  uint64_t size = 0;
  for (uint64_t i = 0; i < masks.places.nodes(); ++i) size += leaf_words(leaf_mask(masks.node(i)), true);
  Words words(size, 0);
  uint32_t* to = words.data();
  for (uint64_t i = 0; i < masks.places.nodes(); ++i) {
    std::copy_n(masks.node(i), kMaskWords, to);
    to += leaf_words(leaf_mask(masks.node(i)), true);
  }
  return words;
}

}  // namespace

// Equal nodes stay equal, homogeneous nodes stay homogeneous, and the order of the nodes stays the same. Only
// the leaves grow.
FrozenDag with_one_material(const FrozenDag& dag) {
  FrozenDag result = dag;
  result.materials = true;
  result.levels.back().words = leaves_with_material_0(dag.levels.back());
  place_nodes(result);
  result.digest = compute_digest(result);
  return result;
}

FrozenDag without_materials(const FrozenDag& dag, uint64_t memory_limit) {
  FrozenDag result = empty_dag(dag.resolution, false);
  if (dag.empty()) return result;
  DerivedDag made(result, memory_limit);
  const DagLevel& leaves = dag.levels.back();
  made.add_level(
      leaves.places.nodes(), nodes_at_once(leaves), [&](const NodeNumbers& range, const auto& put) {
        for_each_in_order(leaves, range, [&](uint64_t number, const uint32_t* leaf) {
          put(number, [&](uint32_t* words) { return std::copy_n(leaf, kMaskWords, words) - words; });
        });
      });
  made.add_levels_above(dag);
  result.digest = digest_of(result, memory_limit == 0 ? UINT64_MAX : memory_limit / 8);
  for (size_t level = 0; level < dag.levels.size(); ++level)
    result.levels[level].svo_nodes = dag.levels[level].svo_nodes;
  result.voxels = dag.voxels;
  return result;
}

}  // namespace vox::dag
