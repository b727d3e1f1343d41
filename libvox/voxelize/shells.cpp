
#include <algorithm>
#include <array>

#include "libvox/base/bits.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"
#include "libvox/voxelize/inside.h"
#include "libvox/voxelize/shell_blocks.h"

namespace vox::voxelize {
namespace {

// A node that holds surface voxels.
struct SurfaceNode {
  Int3 corner;
  uint32_t node;
};

constexpr size_t kUndecided = SIZE_MAX;

// A node and what is known of its depth: the shell of all its voxels inside, or the surface nodes that decide. Those that a
// shell deeper than near_voxel could hold are left out.
struct ShellTask {
  uint32_t level = 0, node = 0;
  Int3 corner = {0, 0, 0};
  uint64_t key = 0;
  size_t shell = kUndecided;
  Int3 near_voxel = {0, 0, 0};
  std::vector<SurfaceNode> surface = {};
};

class ShellPass {
 public:
  ShellPass(const dag::FrozenDag& dag, uint8_t inside, const VoxelSize& size, const Shells& shells,
            uint64_t memory_limit)
      : dag_(dag), inside_(inside), depths_(size, shells), shells_(shells), nodes_(dag, memory_limit) {
    const int64_t longest = std::max({depths_.side.x, depths_.side.y, depths_.side.z});
    compares_ = longest * dag_.level_side(0) <= int64_t{1} << 30;
    find_parts();
  }

  dag::FrozenDag run() {
    ShellTask root;
    root.near_voxel = samples_[0][0];
    if ((parts_[0][0] & kSurface) != 0)
      root.surface.push_back({{0, 0, 0}, 0});
    else
      root.shell = depths_.squares.size();
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
    samples_.resize(dag_.levels.size());
    for (uint32_t level = dag_.depth() + 1; level-- > 0;) {
      const dag::DagLevel& nodes = dag_.levels[level];
      parts_[level].resize(nodes.nodes);
      samples_[level].resize(nodes.nodes);
      if (level == dag_.depth()) surface_masks_.resize(nodes.nodes);
      dag::parallel_for_each(nodes, [&](uint64_t number, const uint32_t* node) {
        parts_[level][number] =
            level == dag_.depth() ? find_leaf_parts(number, node) : find_node_parts(level, number, node);
      });
    }
  }

  uint8_t find_leaf_parts(uint64_t number, const uint32_t* leaf) {
    const uint64_t mask = dag::leaf_mask(leaf);
    uint64_t surface = 0;
    uint32_t rank = 0;
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1)
      if (dag::ranked_material(leaf + 2, rank++) != inside_) surface |= rest & (~rest + 1);
    surface_masks_[number] = surface;
    Sampler sampler(4);
    dag::visit_bits(surface, [&](uint32_t bit) { sampler.add(cube_place(bit)); });
    samples_.back()[number] = sampler.best;
    return static_cast<uint8_t>((surface != 0 ? kSurface : 0) | (surface != mask ? kInside : 0));
  }

  uint8_t find_node_parts(uint32_t level, uint64_t number, const uint32_t* node) {
    uint8_t parts = 0;
    Sampler sampler(dag_.level_side(level));
    const auto half = static_cast<int32_t>(dag_.level_side(level + 1));
    dag::visit_children(node, [&](uint32_t octant, uint32_t child) {
      parts |= parts_[level + 1][child];
      if ((parts_[level + 1][child] & kSurface) != 0)
        sampler.add(samples_[level + 1][child] + octant_corner(octant, half));
    });
    samples_[level][number] = sampler.best;
    return parts;
  }

  // Keeps the surface voxel that is nearest to the middle of a node, in steps.
  struct Sampler {
    explicit Sampler(uint32_t side) : last(static_cast<int32_t>(side) - 1) {}
    void add(Int3 voxel) {
      uint64_t square = 0;
      for (uint32_t k = 0; k < 3; ++k) {
        const int64_t steps = 2 * int64_t{voxel[k]} - last;
        square += static_cast<uint64_t>(steps * steps);
      }
      if (square >= least) return;
      least = square;
      best = voxel;
    }
    int32_t last;
    uint64_t least = UINT64_MAX;
    Int3 best = {0, 0, 0};
  };

  uint8_t material_of(size_t shell) const {
    return shell < shells_.shells.size() ? shells_.shells[shell].material : shells_.interior;
  }

  // Removes the surface nodes of a level that cannot decide the shell of a voxel of a box. Returns the square of the least
  // distance from them.
  uint64_t keep_near(NearVoxel& near, uint32_t level, std::vector<SurfaceNode>& surface) const {
    for (const SurfaceNode& at : surface) near.offer(depths_, at.corner + samples_[level][at.node]);
    const uint64_t reach = depths_.reach_below(near.most);
    uint64_t least = UINT64_MAX;
    std::erase_if(surface, [&](const SurfaceNode& at) {
      const VoxelSpan other = cube_span(at.corner, dag_.level_side(level));
      const uint64_t square = least_square(depths_, near.box, other);
      least = std::min(least, square);
      if (square > reach) return true;
      int64_t more = 0;
      for (uint32_t k = 0; k < 3; ++k) more += near.more(depths_, k, other.first[k], other.last[k]);
      return compares_ && more > 0;
    });
    return least;
  }

  // Returns the surface nodes of the next level below those of a level.
  std::vector<SurfaceNode> surface_below(uint32_t level, const std::vector<SurfaceNode>& surface) const {
    std::vector<SurfaceNode> below;
    const auto half = static_cast<int32_t>(dag_.level_side(level + 1));
    for (const SurfaceNode& at : surface)
      dag::visit_children(dag_.levels[level].node(at.node), [&](uint32_t octant, uint32_t child) {
        if ((parts_[level + 1][child] & kSurface) != 0)
          below.push_back({at.corner + octant_corner(octant, half), child});
      });
    return below;
  }

  // Calls visit(child, its octant) for each child of a task's node, without the child's surface nodes.
  template <class Visit>
  void for_each_child(const ShellTask& task, const Visit& visit) const {
    const auto half = static_cast<int32_t>(dag_.level_side(task.level + 1));
    dag::visit_children(dag_.levels[task.level].node(task.node), [&](uint32_t octant, uint32_t child) {
      visit(ShellTask{.level = task.level + 1,
                      .node = child,
                      .corner = task.corner + octant_corner(octant, half),
                      .key = task.key << 3 | octant,
                      .shell = task.shell});
    });
  }

  // Calls visit(child) for each child, with what is known of its depth.
  template <class Visit>
  void decide_children(const ShellTask& task, const Visit& visit) const {
    const std::vector<SurfaceNode> near = surface_below(task.level, task.surface);
    for_each_child(task, [&](ShellTask child) {
      if ((parts_[child.level][child.node] & kInside) == 0) child.shell = 0;  // no voxel takes its material
      if (child.shell == kUndecided) {
        child.surface = near;
        NearVoxel best = near_voxel_of(task, cube_span(child.corner, dag_.level_side(child.level)));
        const uint64_t least = keep_near(best, child.level, child.surface);
        child.near_voxel = best.voxel;
        if (depths_.shell_of(least) >= depths_.shell_of(best.most)) {
          child.shell = depths_.shell_of(best.most);
          child.surface.clear();
        }
      }
      visit(child);
    });
  }

  NearVoxel near_voxel_of(const ShellTask& task, const VoxelSpan& box) const {
    NearVoxel near = {.box = box};
    near.offer(depths_, task.near_voxel);
    return near;
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
      decide_children(task, [&](const ShellTask& child) { go_down(child); });
    }
  }

  void flush() {
    std::vector<NodeRun> runs(tasks_.size());
    parallel_for(size_t{0}, runs.size(), [&](size_t i) { make(tasks_[i], runs[i]); });
    nodes_.add(runs);
    tasks_.clear();
  }

  void make(const ShellTask& task, NodeRun& run) const {
    const uint32_t height = dag_.depth() - task.level;
    BlockShells shells;
    if (is_whole(task)) {
      run.wholes[height].push_back(whole(task));
    } else if (height > kShellHeight) {
      decide_children(task, [&](const ShellTask& child) { make(child, run); });
    } else {
      if (task.shell == kUndecided)
        shells = block_shells(task);
      else
        shells.fill(static_cast<uint8_t>(task.shell));
      make_leaves(task, task.corner, shells, run);
    }
  }

  BlockShells block_shells(const ShellTask& task) const {
    std::vector<SurfaceNode> surface = task.surface;
    NearVoxel near = near_voxel_of(task, cube_span(task.corner, kShellSide));
    for (uint32_t level = task.level; level < dag_.depth(); ++level) {
      surface = surface_below(level, surface);
      keep_near(near, level + 1, surface);
    }
    const std::vector<SurfaceRow> rows = surface_rows(near, surface);
    if (rows.empty()) {
      BlockShells shells;
      shells.fill(static_cast<uint8_t>(depths_.shell_of(near.most)));
      return shells;
    }
    const uint64_t most = std::min(near.most, static_cast<uint64_t>(depths_.beyond * depths_.beyond));
    return depths_.beyond <= 1 << 15 ? find_block_shells<uint32_t>(depths_, task.corner, most, rows)
                                     : find_block_shells<uint64_t>(depths_, task.corner, most, rows);
  }

  // Returns the rows of leaves that may hold the nearest surface voxel of a voxel of a box.
  std::vector<SurfaceRow> surface_rows(NearVoxel& near, const std::vector<SurfaceNode>& leaves) const {
    for (const SurfaceNode& leaf : leaves)
      if (leaf_at(near.voxel) == leaf.corner)
        dag::visit_bits(surface_masks_[leaf.node],
                        [&](uint32_t bit) { near.offer(depths_, leaf.corner + cube_place(bit)); });
    std::vector<SurfaceRow> rows;
    for (const SurfaceNode& leaf : leaves) {
      const uint64_t voxels = facing_voxels(surface_masks_[leaf.node], leaf.corner, near.box);
      std::array<std::array<int64_t, 4>, 2> more = {};  // along y and z
      for (uint32_t axis = 1; compares_ && axis < 3; ++axis)
        for (int32_t i = 0; i < 4; ++i)
          more[axis - 1][static_cast<size_t>(i)] =
              near.more(depths_, axis, leaf.corner[axis] + i, leaf.corner[axis] + i);
      for (uint32_t i = 0; i < 16; ++i) {
        const Int3 place = {0, static_cast<int32_t>(i & 3), static_cast<int32_t>(i >> 2)};
        const uint64_t bits = voxels >> cube_bit(place);
        const SurfaceRow row = {leaf.corner + place, static_cast<uint32_t>((bits & 3) | (bits >> 6 & 12))};
        if (row.mask == 0) continue;
        const int32_t first = row.corner.x + lowest_bit(row.mask),
                      last = row.corner.x + highest_bit(row.mask);
        if (compares_ && more[0][i & 3] + more[1][i >> 2] + near.more(depths_, 0, first, last) > 0) continue;
        rows.push_back(row);
      }
    }
    return rows;
  }
  static Int3 leaf_at(Int3 voxel) { return {voxel.x & ~3, voxel.y & ~3, voxel.z & ~3}; }

  // Makes the leaves of a block of voxels whose shells are known.
  void make_leaves(const ShellTask& task, Int3 block, const BlockShells& shells, NodeRun& run) const {
    if (task.level < dag_.depth()) {
      for_each_child(task, [&](const ShellTask& child) { make_leaves(child, block, shells, run); });
      return;
    }
    const uint32_t* const old = dag_.levels.back().node(task.node);
    std::array<uint32_t, hash::kMaxItemWords> words = {};
    dag::LeafWriter writer(words.data(), true);
    uint32_t rank = 0;
    dag::visit_bits(dag::leaf_mask(old), [&](uint32_t bit) {
      const bool is_surface = (surface_masks_[task.node] >> bit & 1) != 0;
      const Int3 at = task.corner - block + cube_place(bit);
      constexpr size_t kSide = kShellSide;
      const uint8_t shell = shells[(static_cast<size_t>(at.z) * kSide + static_cast<size_t>(at.y)) * kSide +
                                   static_cast<size_t>(at.x)];
      writer.put(bit, is_surface ? dag::ranked_material(old + 2, rank) : uint32_t{material_of(shell)});
      ++rank;
    });
    run.add_leaf(task.key, words.data(), writer.finish());
  }

  const dag::FrozenDag& dag_;
  const uint8_t inside_;
  const Depths depths_;
  const Shells& shells_;
  bool compares_;  // true if is_nearer() has room for this grid's products
  InsideNodes nodes_;
  std::vector<std::vector<uint8_t>> parts_;  // of the nodes of each level
  std::vector<std::vector<Int3>> samples_;   // a surface voxel near the middle of each node, from its corner
  std::vector<uint64_t> surface_masks_;      // of the leaves
  std::vector<ShellTask> tasks_;
};

}  // namespace

dag::FrozenDag with_shells(const dag::FrozenDag& dag, uint8_t inside, const VoxelSize& voxel_size,
                           const Shells& shells, uint64_t memory_limit) {
  return ShellPass(dag, inside, voxel_size, shells, memory_limit).run();
}

}  // namespace vox::voxelize
