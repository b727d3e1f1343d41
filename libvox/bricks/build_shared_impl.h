// Makes a scene's bricks with a sparse root from the nodes of its DAG. Each node of the bricks' side becomes a brick,
// and each node of a group's side a block.
#pragma once

#include <algorithm>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/bricks/bodies.h"
#include "libvox/bricks/sparse_root.h"
#include "libvox/dag/levels.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"

namespace vox::bricks {

// The levels of a DAG from the nodes of the bricks' side down to the leaves.
struct BrickLevels {
  dag::LevelRef at[kMaxBrickLog2 - 1];
  uint32_t inner;  // the number of levels above the leaves
};

// Writes the voxels of a node as a brick's. Words and masks must be zero before.
struct ExpandNode {
  BrickLevels levels;
  uint64_t first;  // the node of the first brick
  bool materials;
  BrickShape shape;
  uint8_t* words;
  uint64_t* masks;

  // Nodes are read in order. The leaves below nodes of 8³ can lie anywhere.
  static constexpr int kPrefetchStages = 2;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (levels.inner != 1) return;
    const uint32_t* node = levels.at[0].node(first + i);
    for (uint32_t child = 1; child < dag::node_words(node[0]); ++child) {
      if (stage == 0) {
        levels.at[1].places.prefetch(node[child]);
      } else {
        prefetch_line(levels.at[1].node(node[child]));
      }
    }
  }
  VOX_HD void operator()(uint64_t i) const {
    for (uint32_t block = 0; block < shape.blocks();) {
      uint64_t number = first + i;
      uint32_t level = 0, shift = 0;
      for (; level < levels.inner; ++level) {
        shift = 3 * (levels.inner - 1 - level);
        const uint32_t* node = levels.at[level].node(number);
        const uint32_t octant = block >> shift & 7;
        if ((dag::child_mask(node[0]) >> octant & 1) == 0) break;
        number = node[dag::child_word(node[0], octant)];
      }
      if (level < levels.inner) {
        block = ((block >> shift) + 1) << shift;
        continue;
      }
      put_leaf(i, block++, levels.at[level].node(number));
    }
  }

 private:
  VOX_HD void put_leaf(uint64_t i, uint32_t block, const uint32_t* leaf) const {
    const uint64_t mask = dag::leaf_mask(leaf);
    uint8_t* to = words + (i << shape.code_bits()) + 64 * uint64_t{block};
    uint32_t rank = 0;
    for (uint64_t left = mask; left != 0; left &= left - 1, ++rank)
      to[lowest_bit(left)] =  // as dag::solid_value(), which devices cannot call
          static_cast<uint8_t>((materials ? dag::ranked_material(leaf + 2, rank) : 0) + 1);
    masks[(i << shape.code_bits() >> 6) + block] = mask;
  }
};

template <class Device>
class SharedBricksBuilder {
 public:
  SharedBricksBuilder(Device& device, const dag::VoxelScene& scene, const BricksOptions& options,
                      uint32_t log2_side, uint32_t levels)
      : device_(device),
        dag_(scene.dag),
        options_(options),
        levels_(levels),
        level_(dag_.depth() + dag::kLeafLog2 - log2_side),
        packer_(device, options.types, place_log2()) {
    result_.place_log2 = place_log2();
    result_.info = dag::scene_volume(scene).info;
    result_.log2_side = log2_side;
    result_.filled = dag_.voxels;
    result_.allowed_types = options.types;
  }

  // True if the bricks and groups of a root with so many levels are nodes of the scene's DAG.
  static bool can_build(const dag::FrozenDag& dag, uint32_t log2_side, uint32_t levels) {
    return !dag.empty() && log2_side + GroupBlock::kLog2 * levels <= dag.depth() + dag::kLeafLog2;
  }

  FrozenBricks build() {
    make_bricks();
    result_.counts = {};
    result_.entry_words = entry_words_for(result_);
    RootGroups& groups = result_.groups;
    groups.blocks.resize(levels_);
    groups.lists.resize(levels_ - 1);
    for (uint32_t level = levels_; level-- > 0;) make_groups(level);
    const Int3 grid = group_grid(result_.info.size, result_.log2_side, levels_);
    groups.top.assign(VoxelBox{{0, 0, 0}, grid}.voxels(), 0);
    dag::for_each_node(dag_, result_.info.box(), [&](uint32_t level, Int3 corner, const uint32_t* node) {
      const uint32_t shift = result_.log2_side + GroupBlock::kLog2 * levels_;
      if (level + 1 == dag_level(0)) {
        for_each_child(node, [&](uint32_t octant, uint32_t number) {
          const Int3 at = corner + octant_corner(octant, 1 << shift);
          groups.top[cell_index(grid, {at.x >> shift, at.y >> shift, at.z >> shift})] = number + 1;
        });
      } else if (dag_level(0) == 0) {
        groups.top[0] = 1;
      }
      return level + 1 < dag_level(0);
    });
    return std::move(result_);
  }

 private:
  // Returns the level of the DAG whose nodes are the groups of this level.
  uint32_t dag_level(uint32_t level) const { return level_ - GroupBlock::kLog2 * (levels_ - level); }

  template <class F>
  static void for_each_child(const uint32_t* node, const F& f) {
    const uint32_t* pointer = node + 1;
    for (uint32_t mask = dag::child_mask(*node); mask != 0; mask &= mask - 1)
      f(static_cast<uint32_t>(lowest_bit(mask)), *pointer++);
  }

  // Returns the unit of places with which entries fit in one word if bricks have 64 bytes each. The root of a large
  // scene has several entries for each brick, so small entries save more than the gaps between bricks cost.
  uint32_t place_log2() const {
    constexpr uint64_t kUsualWords = 16;
    uint32_t log2 = 0;
    while (log2 < kMostPlaceLog2 &&
           dag_.levels[level_].places.nodes() * kUsualWords > uint64_t{kMaxShortPlace} << log2)
      ++log2;
    return log2;
  }

  // The bytes that a voxel takes while its brick is made: its word, its share of the masks and of the finished brick.
  static constexpr uint64_t kBytes = 2 + 2 * 6;
  uint64_t bricks_at_once() const {
    const uint64_t most =
        std::min<uint64_t>(device_.pool().available() / kBytes, 4 * device_.preferred_chunk_pairs());
    const uint64_t voxels = options_.piece_voxels > 0 ? options_.piece_voxels : most;
    return std::clamp<uint64_t>(voxels >> result_.shape().code_bits(), 1, kMostBricks);
  }

  // Makes the bricks, and keeps the entry of each node's brick.
  void make_bricks() {
    const BrickShape shape = result_.shape();
    const uint64_t nodes = dag_.levels[level_].places.nodes(), most = bricks_at_once();
    entries_.reserve(nodes);
    Progress progress("building bricks", nodes);
    const BrickLevels levels = put_levels();
    for (uint64_t begin = 0; begin < nodes; begin += most) {
      throw_if_cancelled();
      const uint64_t n = std::min(most, nodes - begin), voxels = n << shape.code_bits();
      packer_.make_room(voxels);
      device_.fill(packer_.words(), voxels, uint8_t{0});
      device_.fill(packer_.masks(), voxels >> 6, uint64_t{0});
      device_.for_each("bricks: voxels of nodes", n,
                       ExpandNode{levels, begin, dag_.materials, shape, packer_.words(), packer_.masks()});
      const auto side = static_cast<int32_t>(shape.side()), count = static_cast<int32_t>(n);
      const PieceBricks whole = {{side, side, side * count}, {1, 1, count}, shape, shape};
      packer_.append(packer_.choose(n, whole), shape, result_, entries_);
      if (begin == 0 && n < nodes)
        for (Words& data : result_.data) reserve_like(data, nodes, n);
      progress.update(begin + n, "");
    }
    packer_.release();
    uploaded_.clear();
  }

  BrickLevels put_levels() {
    BrickLevels levels = {.at = {}, .inner = dag_.depth() - level_};
    for (uint32_t i = 0; i <= levels.inner; ++i) {
      const dag::DagLevel& level = dag_.levels[level_ + i];
      if (device_.name() == "cpu") {  // its memory is the host's, and nothing writes there
        levels.at[i] = {const_cast<uint32_t*>(level.words.data()), level.places.ref()};
      } else {
        uploaded_.push_back(dag::uploaded_level(device_, level));
        levels.at[i] = uploaded_.back().ref();
      }
    }
    return levels;
  }

  // The blocks of some nodes, and their parts' numbers in the level's list.
  struct Run {
    std::vector<GroupBlock> blocks;
    Words list;
    std::array<uint64_t, kBrickTypeCount> counts = {};
  };

  void make_groups(uint32_t level) {
    constexpr uint64_t kRun = 1024, kRuns = 256;
    const bool last = level + 1 == levels_;
    const uint64_t nodes = dag_.levels[dag_level(level)].places.nodes(),
                   each = last ? result_.entry_words : 1;
    Words& list = last ? result_.root : result_.groups.lists[level];
    result_.groups.append(level, {{GroupBlock{}}});
    result_.groups.blocks[level].reserve((nodes + 1) * sizeof(GroupBlock) / sizeof(uint32_t));
    for (uint64_t begin = 0; begin < nodes; begin += kRun * kRuns) {
      throw_if_cancelled();
      std::vector<Run> runs((std::min(kRun * kRuns, nodes - begin) + kRun - 1) / kRun);
      parallel_for(uint64_t{0}, uint64_t{runs.size()}, [&](uint64_t i) {
        const uint64_t from = begin + i * kRun;
        for (uint64_t node = from; node < std::min(from + kRun, nodes); ++node)
          add_block(runs[i], level, static_cast<uint32_t>(node));
      });
      for (Run& run : runs) {
        const uint64_t before = list.size() / each;
        if (before + run.list.size() / each >= kNever)
          throw Error("there are 2^32 filled bricks or more").hint("use larger bricks");
        for (GroupBlock& block : run.blocks) block.first += static_cast<uint32_t>(before);
        result_.groups.append(level, run.blocks);
        list.insert(list.end(), run.list.begin(), run.list.end());
        for (uint32_t type = 0; type < kBrickTypeCount; ++type) result_.counts[type] += run.counts[type];
      }
      if (begin == 0 && runs.size() == kRuns) reserve_like(list, nodes, kRun * kRuns);
    }
  }

  // Reserves memory for all `all` items, estimated from the words of the first `done`. A vector that grows by doubling
  // would be copied again and again.
  static void reserve_like(Words& words, uint64_t all, uint64_t done) {
    words.reserve(static_cast<uint64_t>(1.1 * static_cast<double>(words.size()) * static_cast<double>(all) /
                                        static_cast<double>(done)));
  }

  void add_block(Run& run, uint32_t level, uint32_t node) const {
    GroupParts numbers = {};
    const uint32_t above = dag_level(level);
    const auto below = [&](uint32_t depth, uint32_t number) {
      return dag_.levels[above + depth].node(number);
    };
    for_each_child(below(0, node), [&](uint32_t first, uint32_t child) {
      for_each_child(below(1, child), [&](uint32_t second, uint32_t grandchild) {
        for_each_child(below(2, grandchild), [&](uint32_t third, uint32_t number) {
          numbers[GroupBlock::part(octant_corner(first, 4) + octant_corner(second, 2) +
                                   octant_corner(third, 1))] = number + 1;
        });
      });
    });
    const bool last = level + 1 == levels_;
    const uint32_t each = last ? result_.entry_words : 1;
    run.blocks.push_back(
        make_block(numbers, static_cast<uint32_t>(run.list.size() / each), [&](uint32_t number) {
          if (!last) return run.list.push_back(number);
          const uint64_t entry = entries_[number - 1];
          ++run.counts[BricksRef::unpack(entry).type];
          run.list.push_back(static_cast<uint32_t>(entry));
          if (each == 2) run.list.push_back(static_cast<uint32_t>(entry >> 32));
        }));
  }

  static constexpr uint64_t kMostBricks = uint64_t{1} << 20;

  Device& device_;
  const dag::FrozenDag& dag_;
  const BricksOptions& options_;
  uint32_t levels_;  // the number of levels of groups
  uint32_t level_;   // the level of the DAG whose nodes are bricks
  FrozenBricks result_;
  std::vector<uint64_t> entries_;  // the entry of each node's brick
  std::vector<dag::DeviceLevel> uploaded_;
  BrickPacker<Device, uint8_t> packer_;
};

template <class Device>
BricksResult build_bricks(Device& device, const dag::VoxelScene& scene, const BricksOptions& options) {
  check_brick_types(options.types);
  const Int3 size = dag::scene_volume(scene).info.size;
  const uint32_t log2_side = scene_brick_log2(scene.dag, options);
  const uint32_t levels = log2_side == 0 ? 0 : group_levels(size, log2_side, BrickRoot::Sparse);
  if (levels == 0 || !SharedBricksBuilder<Device>::can_build(scene.dag, log2_side, levels))
    return build_bricks(device, dag::scene_volume(scene), options);
  BricksResult result;
  const Stopwatch watch;
  result.bricks = SharedBricksBuilder<Device>(device, scene, options, log2_side, levels).build();
  if (group_levels(size, log2_side, options.root) == 0) result.bricks = with_dense_root(result.bricks);
  result.seconds = watch.seconds();
  result.peak_device_bytes = device.pool().peak();
  return result;
}

}  // namespace vox::bricks
