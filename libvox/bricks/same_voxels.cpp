// Compares bricks with the scene of which they were made. Where the root is sparse, each pair of a node and a group, or
// of a node and a brick, is compared once, however often it occurs.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/bricks/sparse_root.h"
#include "libvox/dag/walk.h"

namespace vox::bricks {
namespace {

constexpr uint64_t kNoNode = UINT64_MAX;

class Comparison {
 public:
  Comparison(const FrozenBricks& bricks, const dag::FrozenDag& dag)
      : bricks_(bricks),
        dag_(dag),
        access_{ref(bricks)},
        brick_level_(dag.depth() + dag::kLeafLog2 - bricks.log2_side),
        seen_groups_(bricks.groups.levels()),
        seen_bricks_(dag.levels[brick_level_].places.nodes()) {
    for (uint32_t level = 0; level < levels(); ++level)
      seen_groups_[level].assign(dag.levels[dag_level(level)].places.nodes(), 0);
  }

  static bool is_possible(const FrozenBricks& bricks, const dag::FrozenDag& dag) {
    return !dag.empty() &&
           bricks.log2_side + GroupBlock::kLog2 * bricks.groups.levels() <= dag.depth() + dag::kLeafLog2;
  }

  void run() {
    const Int3 grid = access_.groups.grid;
    const auto side = static_cast<int32_t>(dag_.level_side(dag_level(0)));
    for (uint64_t i = 0; i < bricks_.groups.top.size(); ++i) {
      const Int3 corner = cell_place(grid, i) * side;
      const uint64_t node = node_at(corner);
      const uint32_t number = bricks_.groups.top[i];
      if ((node == kNoNode) != (number == 0)) find_difference(cube_at(corner, static_cast<uint32_t>(side)));
      if (number != 0 && node != kNoNode) compare_groups(0, node, number, corner);
    }
    parallel_for(size_t{0}, smallest_.size(), [&](size_t i) { compare_bricks(smallest_[i]); });
  }

 private:
  struct Pair {
    uint64_t node;
    uint32_t block;
    Int3 corner;  // of one place where it occurs
  };

  uint32_t levels() const { return bricks_.groups.levels(); }
  uint32_t dag_level(uint32_t level) const { return brick_level_ - GroupBlock::kLog2 * (levels() - level); }

  const GroupBlock& block(uint32_t level, uint32_t number) const {
    return bricks_.groups.blocks_of(level)[number];
  }

  // Returns the number of the node at this corner on the level of the largest groups.
  uint64_t node_at(Int3 corner) const {
    uint64_t number = 0;
    for (uint32_t level = 0; level < dag_level(0); ++level) {
      const auto half = static_cast<int32_t>(dag_.level_side(level + 1));
      number = child(level, number,
                     ((corner.x & half) != 0 ? 1u : 0u) | ((corner.y & half) != 0 ? 2u : 0u) |
                         ((corner.z & half) != 0 ? 4u : 0u));
      if (number == kNoNode) return kNoNode;
    }
    return number;
  }
  uint64_t child(uint32_t level, uint64_t number, uint32_t octant) const {
    const uint32_t* node = dag_.levels[level].node(number);
    return (dag::child_mask(node[0]) >> octant & 1) == 0 ? kNoNode : node[dag::child_word(node[0], octant)];
  }
  // Returns the number of the node at a part of a group's node, three levels below it.
  uint64_t part_node(uint32_t level, uint64_t number, Int3 part) const {
    for (uint32_t step = 0; step < 3 && number != kNoNode; ++step) {
      const uint32_t bit = 2 - step;
      number = child(
          level + step, number,
          static_cast<uint32_t>((part.x >> bit & 1) | (part.y >> bit & 1) << 1 | (part.z >> bit & 1) << 2));
    }
    return number;
  }

  // Compares the parts of a group, which are groups too, and collects the smallest ones.
  void compare_groups(uint32_t level, uint64_t node, uint32_t number, Int3 corner) {
    if (seen_groups_[level][node] == number) return;
    seen_groups_[level][node] = number;
    if (level + 1 == levels()) {
      smallest_.push_back({node, number, corner});
      return;
    }
    const auto side = static_cast<int32_t>(dag_.level_side(dag_level(level + 1)));
    for (uint32_t part = 0; part < GroupBlock::kParts; ++part) {
      const uint64_t below = part_node(dag_level(level), node, GroupBlock::place(part));
      const uint32_t place = block(level, number).find(part);
      const Int3 at = corner + GroupBlock::place(part) * side;
      if ((below == kNoNode) != (place == kNever)) find_difference(cube_at(at, static_cast<uint32_t>(side)));
      if (place != kNever && below != kNoNode)
        compare_groups(level + 1, below, bricks_.groups.lists[level][place], at);
    }
  }

  void compare_bricks(const Pair& pair) {
    const BrickShape shape = bricks_.shape();
    const auto side = static_cast<int32_t>(shape.side());
    std::vector<std::byte> is(shape.voxels());
    std::vector<uint8_t> should_be(shape.voxels());
    for (uint32_t part = 0; part < GroupBlock::kParts; ++part) {
      const uint64_t node = part_node(dag_level(levels() - 1), pair.node, GroupBlock::place(part));
      const uint32_t entry = block(levels() - 1, pair.block).find(part);
      const VoxelBox box = cube_at(pair.corner + GroupBlock::place(part) * side, shape.side());
      if ((node == kNoNode) != (entry == kNever)) find_difference(box);
      if (entry == kNever || node == kNoNode || was_seen(node, entry)) continue;
      read_brick(bricks_, entry, is.data());
      dag::write_dense(dag_, box, should_be.data());
      if (std::memcmp(is.data(), should_be.data(), should_be.size()) != 0) find_difference(box);
    }
  }

  bool was_seen(uint64_t node, uint32_t entry) {
    const BricksRef::Entry at = access_.entry(entry);
    const uint64_t name = (at.place << kRootTypeBits | at.type) + 1;
    std::atomic_ref<uint64_t> seen(seen_bricks_[node]);
    if (seen.load(std::memory_order_relaxed) == name) return true;
    seen.store(name, std::memory_order_relaxed);
    return false;
  }

  // Throws Error that names the first voxel of a box, which may reach beyond the volume, that differs. There may be none: a
  // file may have groups in which all bricks are empty.
  void find_difference(const VoxelBox& cube) const {
    const VoxelBox box = intersection(cube, bricks_.info.box());
    for (Int3 at = box.min; at.z < box.max.z; ++at.z)
      for (at.y = box.min.y; at.y < box.max.y; ++at.y)
        for (at.x = box.min.x; at.x < box.max.x; ++at.x) {
          const int material = dag::voxel_at(dag_, static_cast<uint32_t>(at.x), static_cast<uint32_t>(at.y),
                                             static_cast<uint32_t>(at.z));
          const uint32_t should_be =
              material == dag::kEmptyVoxel ? 0 : dag::solid_value(static_cast<uint32_t>(material));
          const uint32_t is = access_.get<uint8_t>(at);
          if (is != should_be)
            throw Error(fmt::format("voxel ({}, {}, {}) is {} in the bricks, but {} in the SVDAG", at.x, at.y,
                                    at.z, is, should_be));
        }
  }

  const FrozenBricks& bricks_;
  const dag::FrozenDag& dag_;
  SparseRootRef access_;
  uint32_t brick_level_;
  std::vector<std::vector<uint32_t>>
      seen_groups_;                    // for each level, the block with which a node was compared last
  std::vector<uint64_t> seen_bricks_;  // the same for bricks: the entry plus one
  std::vector<Pair> smallest_;
};

}  // namespace

void check_same_voxels(const FrozenBricks& bricks, const dag::VoxelScene& scene) {
  const volume::Volume voxels = dag::scene_volume(scene);
  if (bricks.is_sparse() && bricks.info.size == voxels.info.size && bricks.info.type == voxels.info.type &&
      bricks.background == 0 && Comparison::is_possible(bricks, scene.dag))
    return Comparison(bricks, scene.dag).run();
  volume::check_same_values(bricks_volume(bricks), "the bricks", voxels, "the SVDAG");
}

}  // namespace vox::bricks
