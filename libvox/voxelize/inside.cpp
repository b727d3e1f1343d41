#include "libvox/voxelize/inside.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/node.h"
#include "libvox/dag/voxels_by_material.h"
#include "libvox/ranks/ranks.h"
#include "libvox/scene/palette.h"

namespace vox::voxelize {
namespace {

dag::NodeKind kind_at_height(uint32_t height) {
  return height == 0 ? dag::NodeKind::Leaf : dag::NodeKind::Inner;
}

}  // namespace

uint32_t InsideNodes::pointer(uint32_t height, uint32_t node, uint32_t material) {
  const std::tuple key = {height, node, material};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const uint32_t stored = made(height, node, material);
  known_.emplace(key, stored);
  return stored;
}

uint32_t InsideNodes::made(uint32_t height, uint32_t node, uint32_t material) {
  const uint32_t* const old = node == kFullNode ? nullptr : old_.levels[old_.depth() - height].node(node);
  if (height == 0) {
    std::array<uint32_t, hash::kMaxItemWords> words = {};
    const uint64_t mask = old == nullptr ? UINT64_MAX : dag::leaf_mask(old);
    dag::write_leaf_of_one_material(words.data(), mask, old_.materials, material);
    const std::array<uint32_t, 2> offsets = {0, dag::leaf_words(mask, old_.materials)};
    return store_.put_leaves(std::span(words).first(offsets[1]), offsets)[0];
  }
  std::vector<uint32_t> children;
  const uint32_t mask = old == nullptr ? 0xff : dag::child_mask(old[0]);
  for (int i = 0; i < popcount(mask); ++i)
    children.push_back(pointer(height - 1, old == nullptr ? kFullNode : old[1 + i], material));
  const auto octants = static_cast<uint8_t>(mask);
  return store_.put_nodes({&octants, 1}, children, kind_at_height(height - 1))[0];
}

dag::HostStore::Level InsideNodes::with(dag::HostStore::Level level, uint32_t height,
                                        const std::vector<NodeRun::Whole>& wholes) {
  if (wholes.empty()) return level;
  dag::HostStore::Level all;
  size_t next = 0;
  const auto take_before = [&](uint64_t key) {
    for (; next < level.keys.size() && level.keys[next] < key; ++next) {
      all.keys.push_back(level.keys[next]);
      all.pointers.push_back(level.pointers[next]);
    }
  };
  for (const NodeRun::Whole& whole : wholes) {
    take_before(whole.key);
    all.keys.push_back(whole.key);
    all.pointers.push_back(pointer(height, whole.node, whole.material));
  }
  take_before(UINT64_MAX);
  return all;
}

void InsideNodes::add(const std::vector<NodeRun>& runs) {
  throw_if_cancelled();
  dag::HostStore::Level level;
  std::vector<uint32_t> words, offsets = {0};
  for (const NodeRun& run : runs) {
    const auto before = static_cast<uint32_t>(words.size());
    if (words.size() + run.words.size() > UINT32_MAX) throw Error("a run has 2^32 words of leaves or more");
    level.keys.insert(level.keys.end(), run.leaf_keys.begin(), run.leaf_keys.end());
    words.insert(words.end(), run.words.begin(), run.words.end());
    for (const uint32_t end : run.ends) offsets.push_back(before + end);
  }
  if (!level.keys.empty()) level.pointers = store_.put_leaves(words, offsets);
  for (uint32_t height = 0;; ++height) {
    std::vector<NodeRun::Whole> wholes;
    for (const NodeRun& run : runs)
      wholes.insert(wholes.end(), run.wholes[height].begin(), run.wholes[height].end());
    level = with(std::move(level), height, wholes);
    if (height == run_height_) break;
    if (!level.keys.empty()) level = store_.put_parents(level, kind_at_height(height));
  }
  roots_.keys.insert(roots_.keys.end(), level.keys.begin(), level.keys.end());
  roots_.pointers.insert(roots_.pointers.end(), level.pointers.begin(), level.pointers.end());
}

dag::FrozenDag InsideNodes::finish() {
  for (uint32_t height = run_height_;; ++height) {
    if (height > run_height_) roots_ = with(std::move(roots_), height, large_[height]);
    if (height == old_.depth()) break;
    roots_ = store_.put_parents(roots_, kind_at_height(height));
  }
  return store_.freeze(roots_.pointers.at(0), old_.resolution);
}

namespace {

void fill_by_flood(BuildResult& result, const Inside& inside) {
  uint8_t material = inside.interior.value_or(0);
  if (!inside.interior && result.dag.materials && !result.dag.empty())
    material = dag::majority_materials(result.dag, 0, UINT64_MAX, ranks::alone())[0];
  FloodedScene flood = flooded(std::move(result.dag), material, inside.memory_limit);
  result.dag = std::move(flood.dag);
  if (flood.filled == 0)
    log_warning(
        "all empty voxels are reached from outside, and nothing is filled; winding numbers close holes");
  else
    log_info("{} that no path from outside leads to are filled", format_count(flood.filled, "voxel"));
}

}  // namespace

void set_shells(Inside& inside, Shells shells, uint32_t colors) {
  if (colors >= scene::kPaletteSize)
    throw Error("shells need a number that no voxel has until it is known how deep it lies")
        .hint("give a palette of at most 15 colors");
  inside.interior = static_cast<uint8_t>(colors);
  inside.shells = std::move(shells);
}

uint64_t shell_depth(double voxels) {
  const double depth = std::floor(voxels * kDepthUnits + 0.5);
  if (!(depth >= 0 && depth <= static_cast<double>(kMostDepth)))
    throw UsageError(
        fmt::format("a shell's depth is {:g} voxels, expected 0 to {}", voxels, kMostDepth / kDepthUnits));
  return static_cast<uint64_t>(depth);
}

BuildOptions with_inside(BuildOptions options, const Inside& inside) {
  options.interior = inside.interior;
  if (inside.flood) options.solid = false;
  return options;
}

void make_inside(BuildResult& result, const Inside& inside, const VoxelSize& voxel_size) {
  const Stopwatch watch;
  if (inside.flood) fill_by_flood(result, inside);
  if (inside.shells && !result.dag.empty())
    result.dag = with_shells(result.dag, *inside.interior, voxel_size, *inside.shells, inside.memory_limit);
  result.build_seconds += watch.seconds();
}

void tell_of_solid(const SolidCounts& counts, InsideRule rule) {
  if (counts.duplicates > 0)
    log_warning("{} lie exactly on others: what is inside is decided without them",
                format_count(counts.duplicates, "triangle"));
  if (counts.open_rays > 0)
    log_warning("{} rays along x leave the grid inside: the mesh has holes, and what they hit is not solid",
                format_count(counts.open_rays));
  if (counts.disputed_voxels == 0) return;
  if (rule == InsideRule::Winding)
    log_info("{} lie in several surfaces at once, and are filled; the rule of parity leaves them empty",
             format_count(counts.disputed_voxels, "voxel"));
  else
    log_warning("{} lie in several surfaces at once, and are left empty; winding numbers fill them",
                format_count(counts.disputed_voxels, "voxel"));
}

}  // namespace vox::voxelize
