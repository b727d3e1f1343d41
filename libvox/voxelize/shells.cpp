#include "libvox/voxelize/shells.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "libvox/base/bits.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"
#include "libvox/voxelize/inside_nodes.h"

namespace vox::voxelize {
namespace {

// Squares of distances between the centers of voxels.
class Depths {
 public:
  explicit Depths(const VoxelSize& size) {
    for (uint32_t k = 0; k < 3; ++k) {
      const double side = std::floor(kDepthUnits * (size[k] / size.shortest()) + 0.5);
      side_[k] = static_cast<uint64_t>(std::min(side, static_cast<double>(kMostDepth)));
    }
  }

  // The steps along an axis count as at most kMostDepth, which is deeper than all shells or as deep: sums of squares stay
  // below 2^64.
  uint64_t squared(uint32_t x, uint32_t y, uint32_t z) const {
    return square(side_[0] * x) + square(side_[1] * y) + square(side_[2] * z);
  }

  // The part of a square that steps along one axis add to it.
  uint64_t along(uint32_t axis, uint32_t steps) const { return square(side_[axis] * steps); }

  // Between the nearest voxels of two boxes.
  uint64_t least(const VoxelBox& a, const VoxelBox& b) const {
    std::array<uint32_t, 3> steps = {};
    for (uint32_t k = 0; k < 3; ++k)
      steps[k] = static_cast<uint32_t>(std::max({0, b.min[k] - a.max[k] + 1, a.min[k] - b.max[k] + 1}));
    return squared(steps[0], steps[1], steps[2]);
  }

 private:
  static uint64_t square(uint64_t distance) {
    const uint64_t counted = std::min(distance, kMostDepth + 1);
    return counted * counted;
  }
  Vec3<uint64_t> side_;
};

// A node that holds surface voxels.
struct SurfaceNode {
  Int3 corner;
  uint32_t node;
};

constexpr int kUndecided = -1;

// A node and what is known of its depth: the shell of all its voxels inside, or the surface nodes that decide.
struct ShellTask {
  uint32_t level = 0, node = 0;
  Int3 corner = {0, 0, 0};
  uint64_t key = 0;
  int shell = kUndecided;
  std::vector<SurfaceNode> surface = {};
};

class ShellPass {
 public:
  ShellPass(const dag::FrozenDag& dag, uint8_t inside, const VoxelSize& size, const Shells& shells,
            uint64_t memory_limit)
      : dag_(dag), inside_(inside), depths_(size), shells_(shells), nodes_(dag, memory_limit) {
    for (const Shell& shell : shells.shells) squares_.push_back(shell.depth * shell.depth);
    find_parts();
  }

  dag::FrozenDag run() {
    ShellTask root;
    if ((parts_[0][0] & kSurface) != 0) root.surface.push_back({{0, 0, 0}, 0});
    if (root.surface.empty()) root.shell = static_cast<int>(squares_.size());
    go_down(root);
    flush();
    return nodes_.finish();
  }

 private:
  static constexpr uint8_t kSurface = 1, kInside = 2;
  static constexpr size_t kTasks = 256;

  // Finds out which nodes hold voxels of the surface and which hold voxels inside.
  void find_parts() {
    parts_.resize(dag_.levels.size());
    for (uint32_t level = dag_.depth() + 1; level-- > 0;) {
      const dag::DagLevel& nodes = dag_.levels[level];
      parts_[level].resize(nodes.nodes);
      if (level == dag_.depth()) surface_masks_.resize(nodes.nodes);
      dag::parallel_for_each(nodes, [&](uint64_t number, const uint32_t* node) {
        uint8_t parts = 0;
        if (level == dag_.depth()) {
          const uint64_t mask = dag::leaf_mask(node), surface = surface_of(node);
          surface_masks_[number] = surface;
          parts = static_cast<uint8_t>((surface != 0 ? kSurface : 0) | (surface != mask ? kInside : 0));
        } else {
          for (uint32_t i = 1; i < dag::node_words(node[0]); ++i) parts |= parts_[level + 1][node[i]];
        }
        parts_[level][number] = parts;
      });
    }
  }

  uint64_t surface_of(const uint32_t* leaf) const {
    uint64_t surface = 0;
    uint32_t rank = 0;
    for (uint64_t rest = dag::leaf_mask(leaf); rest != 0; rest &= rest - 1)
      if (dag::ranked_material(leaf + 2, rank++) != inside_) surface |= rest & (~rest + 1);
    return surface;
  }

  int shell_of(uint64_t squared) const {
    return static_cast<int>(std::ranges::lower_bound(squares_, squared) - squares_.begin());
  }
  uint8_t material_of(int shell) const {
    const auto i = static_cast<size_t>(shell);
    return i < shells_.shells.size() ? shells_.shells[i].material : shells_.interior;
  }
  VoxelBox box_of(uint32_t level, Int3 corner) const { return cube_at(corner, dag_.level_side(level)); }

  static Vec3<uint32_t> steps_between(Int3 a, Int3 b) {
    return {static_cast<uint32_t>(std::abs(a.x - b.x)), static_cast<uint32_t>(std::abs(a.y - b.y)),
            static_cast<uint32_t>(std::abs(a.z - b.z))};
  }

  // Keeps the surface nodes that may be the nearest ones, and decides the node's shell if they leave only one.
  void decide(ShellTask& task, const std::vector<SurfaceNode>& near) const {
    const uint32_t last = dag_.level_side(task.level) - 1;
    uint64_t most = UINT64_MAX;
    std::vector<uint64_t> nearest(near.size());  // the squares between nearest voxels
    for (size_t i = 0; i < near.size(); ++i) {
      const Vec3<uint32_t> steps = steps_between(task.corner, near[i].corner);
      const auto closer = [last](uint32_t step) { return step > last ? step - last : 0; };
      nearest[i] = depths_.squared(closer(steps.x), closer(steps.y), closer(steps.z));
      most = std::min(most, depths_.squared(steps.x + last, steps.y + last, steps.z + last));
    }
    const uint64_t reach = std::min(most, squares_.back());
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < near.size(); ++i) {
      if (nearest[i] > reach) continue;
      least = std::min(least, nearest[i]);
      task.surface.push_back(near[i]);
    }
    if (shell_of(least) != shell_of(most)) return;
    task.shell = shell_of(most);
    task.surface.clear();
  }

  // Returns the surface nodes of the next level below those of a task.
  std::vector<SurfaceNode> surface_below(const ShellTask& task) const {
    std::vector<SurfaceNode> below;
    const auto half = static_cast<int32_t>(dag_.level_side(task.level + 1));
    for (const SurfaceNode& at : task.surface) {
      const uint32_t* const node = dag_.levels[task.level].node(at.node);
      const uint32_t* pointer = node + 1;
      for (uint32_t mask = dag::child_mask(node[0]); mask != 0; mask &= mask - 1, ++pointer)
        if ((parts_[task.level + 1][*pointer] & kSurface) != 0)
          below.push_back(
              {at.corner + octant_corner(static_cast<uint32_t>(lowest_bit(mask)), half), *pointer});
    }
    return below;
  }

  template <class Visit>
  void for_each_child(const ShellTask& task, const Visit& visit) const {
    const std::vector<SurfaceNode> near = surface_below(task);
    const auto half = static_cast<int32_t>(dag_.level_side(task.level + 1));
    const uint32_t* const node = dag_.levels[task.level].node(task.node);
    const uint32_t* pointer = node + 1;
    for (uint32_t mask = dag::child_mask(node[0]); mask != 0; mask &= mask - 1, ++pointer) {
      const auto octant = static_cast<uint32_t>(lowest_bit(mask));
      ShellTask child = {.level = task.level + 1,
                         .node = *pointer,
                         .corner = task.corner + octant_corner(octant, half),
                         .key = task.key << 3 | octant,
                         .shell = task.shell};
      if ((parts_[child.level][child.node] & kInside) == 0) child.shell = 0;  // no voxel takes its material
      if (child.shell == kUndecided) decide(child, near);
      visit(child);
    }
  }

  bool is_whole(const ShellTask& task) const {
    return task.shell != kUndecided && (parts_[task.level][task.node] & kSurface) == 0;
  }
  NodeRun::Whole whole(const ShellTask& task) const { return {task.key, task.node, material_of(task.shell)}; }

  // Goes down to the runs, which the cores share.
  void go_down(const ShellTask& task) {
    const uint32_t height = dag_.depth() - task.level;
    if (height == InsideNodes::run_height(dag_)) {
      tasks_.push_back(task);
      if (tasks_.size() == kTasks) flush();
    } else if (is_whole(task)) {
      nodes_.add_large(height, whole(task));
    } else {
      for_each_child(task, [&](const ShellTask& child) { go_down(child); });
    }
  }

  void flush() {
    std::vector<NodeRun> runs(tasks_.size());
    tbb::parallel_for(size_t{0}, runs.size(), [&](size_t i) { make(tasks_[i], runs[i]); });
    nodes_.add(runs);
    tasks_.clear();
  }

  void make(const ShellTask& task, NodeRun& run) const {
    if (is_whole(task))
      run.wholes[dag_.depth() - task.level].push_back(whole(task));
    else if (task.level == dag_.depth())
      make_leaf(task, run);
    else
      for_each_child(task, [&](const ShellTask& child) { make(child, run); });
  }

  void make_leaf(const ShellTask& task, NodeRun& run) const {
    const uint32_t* const old = dag_.levels.back().node(task.node);
    const uint64_t filled = dag::leaf_mask(old), surface = surface_masks_[task.node];
    std::array<uint8_t, 64> shells = {};
    if (task.shell == kUndecided) find_shells(task, filled & ~surface, shells);
    std::array<uint32_t, hash::kMaxItemWords> words = {};
    dag::LeafWriter writer(words.data(), true);
    uint32_t rank = 0;
    for (uint64_t rest = filled; rest != 0; rest &= rest - 1, ++rank) {
      const auto bit = static_cast<uint32_t>(lowest_bit(rest));
      const int shell = task.shell != kUndecided ? task.shell : shells[bit];
      const bool is_surface = (surface >> bit & 1) != 0;
      writer.put(bit, is_surface ? dag::ranked_material(old + 2, rank) : uint32_t{material_of(shell)});
    }
    const uint32_t count = writer.finish();
    run.add_leaf(task.key, words.data(), count);
  }

  // Finds the shells of the voxels of a leaf in `inside`.
  void find_shells(const ShellTask& task, uint64_t inside, std::array<uint8_t, 64>& shells) const {
    const VoxelBox box = box_of(task.level, task.corner);
    std::vector<std::pair<uint64_t, const SurfaceNode*>> near;
    for (const SurfaceNode& leaf : task.surface)
      near.emplace_back(depths_.least(box, box_of(task.level, leaf.corner)), &leaf);
    std::ranges::sort(near, {}, [](const auto& leaf) { return leaf.first; });
    for (size_t shell = 0; shell < squares_.size() && inside != 0; ++shell) {
      uint64_t reached = 0;
      for (const auto& [distance, leaf] : near) {
        if (distance > squares_[shell]) break;
        reached |= reached_from(*leaf, box, squares_[shell], inside & ~reached);
        if (reached == inside) break;
      }
      inside &= ~reached;
      for (; reached != 0; reached &= reached - 1)
        shells[static_cast<size_t>(lowest_bit(reached))] = static_cast<uint8_t>(shell);
    }
    for (; inside != 0; inside &= inside - 1)
      shells[static_cast<size_t>(lowest_bit(inside))] = static_cast<uint8_t>(squares_.size());
  }

  // Returns which of a leaf's voxels in `open` lie within a distance of a surface voxel of another leaf.
  uint64_t reached_from(const SurfaceNode& leaf, const VoxelBox& box, uint64_t square, uint64_t open) const {
    // The parts of squares along each axis, for both places along it.
    std::array<std::array<std::array<uint64_t, 4>, 4>, 3> parts = {};
    for (uint32_t k = 0; k < 3; ++k)
      for (int32_t other = 0; other < 4; ++other)
        for (int32_t own = 0; own < 4; ++own)
          parts[k][static_cast<size_t>(other)][static_cast<size_t>(own)] =
              depths_.along(k, static_cast<uint32_t>(std::abs(leaf.corner[k] + other - box.min[k] - own)));
    uint64_t reached = 0;
    for (uint64_t rest = surface_masks_[leaf.node]; rest != 0 && open != 0; rest &= rest - 1) {
      const Vec3<size_t> other = place_in_leaf(rest);
      const auto &x = parts[0][other.x], &y = parts[1][other.y], &z = parts[2][other.z];
      // A square is convex along an axis: the greatest one is at an end.
      if (std::max(x[0], x[3]) + std::max(y[0], y[3]) + std::max(z[0], z[3]) <= square) return reached | open;
      if (std::ranges::min(x) + std::ranges::min(y) + std::ranges::min(z) > square) continue;
      for (uint64_t left = open; left != 0; left &= left - 1) {
        const Vec3<size_t> own = place_in_leaf(left);
        if (x[own.x] + y[own.y] + z[own.z] <= square) reached |= left & (~left + 1);
      }
      open &= ~reached;
    }
    return reached;
  }

  // The place of the first voxel of a mask.
  static Vec3<size_t> place_in_leaf(uint64_t mask) {
    const Int3 place = cube_place(static_cast<uint32_t>(lowest_bit(mask)));
    return {static_cast<size_t>(place.x), static_cast<size_t>(place.y), static_cast<size_t>(place.z)};
  }

  const dag::FrozenDag& dag_;
  const uint8_t inside_;
  const Depths depths_;
  const Shells& shells_;
  std::vector<uint64_t> squares_;  // of the shells' depths
  InsideNodes nodes_;
  std::vector<std::vector<uint8_t>> parts_;  // of the nodes of each level
  std::vector<uint64_t> surface_masks_;      // of the leaves
  std::vector<ShellTask> tasks_;
};

}  // namespace

dag::FrozenDag with_shells(const dag::FrozenDag& dag, uint8_t inside, const VoxelSize& voxel_size,
                           const Shells& shells, uint64_t memory_limit) {
  return ShellPass(dag, inside, voxel_size, shells, memory_limit).run();
}

}  // namespace vox::voxelize
