#include "libvox/dag/derived.h"

#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/dag/derived_dag.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"

namespace vox::dag {
namespace {

constexpr uint64_t kBatch = 1 << 14;                           // nodes between two looks at an interrupt
constexpr uint32_t kNone = UINT32_MAX, kIsCommon = kNone - 1;  // in place of a rank
// Leaves may change this part of the voxels, and nodes the rest: a voxel saves more bytes there.
constexpr uint64_t kLeafPart = 4;

// The first voxel outside of the grid, or outside of a node's cube if that is nearer, along each axis, within the cube of
// every node that the DAG's node stands for.
using Limit = Vec3<uint32_t>;

// The facts about a node that come from the levels above.
struct Use {
  uint64_t places = 0;  // nodes of the octree
  Limit limit = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
};

// Adds to the uses of a level's children, one node after the other. Throws an Error if a child is never used: a file may
// hold such nodes, of which its digest tells nothing.
std::vector<Use> uses_below(const FrozenDag& dag, uint32_t level, const std::vector<Use>& uses) {
  std::vector<Use> below(dag.levels[level + 1].nodes);
  const uint32_t side = dag.level_side(level + 1);
  for (uint64_t number = 0; number < uses.size(); ++number) {
    if (number % kBatch == 0) throw_if_cancelled();
    visit_children(dag.levels[level].node(number), [&](uint32_t octant, uint32_t child) {
      const Int3 corner = octant_corner(octant, static_cast<int32_t>(side));
      Use& use = below[child];
      use.places += uses[number].places;
      for (uint32_t axis = 0; axis < 3; ++axis) {
        const auto begin = static_cast<uint32_t>(corner[axis]);
        const uint32_t limit = uses[number].limit[axis];
        use.limit[axis] = std::min(use.limit[axis], std::min(side, limit < begin ? 0 : limit - begin));
      }
    });
  }
  const auto unused = std::ranges::find(below, uint64_t{0}, &Use::places);
  if (unused != below.end())
    throw Error(fmt::format("no pointer leads to node {}", unused - below.begin()))
        .at(fmt::format("level {}", level + 1));
  return below;
}

// The voxels of a leaf (one mask) or of a node of 8³ (eight masks, in the order of octants).
template <size_t Masks>
struct Shape {
  std::array<uint64_t, Masks> masks = {};

  uint32_t voxels() const {
    uint32_t sum = 0;
    for (const uint64_t mask : masks) sum += static_cast<uint32_t>(popcount(mask));
    return sum;
  }
  // Returns in how many voxels two shapes differ, or at least `enough` if these are that many.
  uint32_t distance(const Shape& other, uint32_t enough = UINT32_MAX) const {
    uint32_t sum = 0;
    for (size_t i = 0; i < Masks && sum < enough; ++i)
      sum += static_cast<uint32_t>(popcount(masks[i] ^ other.masks[i]));
    return sum;
  }
  bool lies_within(const Limit& limit) const {
    for (uint32_t octant = 0; octant < Masks; ++octant) {
      if (masks[octant] == 0) continue;
      const Int3 end = leaf_bounds(masks[octant]).max;
      const Int3 corner = Masks == 1 ? Int3{0, 0, 0} : octant_corner(octant, static_cast<int32_t>(kLeafSide));
      for (uint32_t axis = 0; axis < 3; ++axis)
        if (static_cast<uint32_t>(corner[axis] + end[axis]) > limit[axis]) return false;
    }
    return true;
  }
  friend bool operator==(const Shape&, const Shape&) = default;
};

// A key from which the least distance of two shapes follows: a leaf's mask, and the numbers of voxels in the eighths of a node, a
// byte each.
uint64_t key_of(const Shape<1>& leaf) {
  return leaf.masks[0];
}
uint64_t key_of(const Shape<8>& node) {
  uint64_t counts = 0;
  for (uint32_t part = 0; part < 8; ++part) counts |= uint64_t(popcount(node.masks[part])) << 8 * part;
  return counts;
}

// Returns a number of voxels in which two shapes differ at least.
template <size_t Masks>
uint32_t least_distance(uint64_t a, uint64_t b) {
  if constexpr (Masks == 1) return static_cast<uint32_t>(popcount(a ^ b));
  // The differences of all bytes at once. They are at most 64, so that the highest bit of a byte tells the sign.
  constexpr uint64_t kOnes = 0x0101010101010101, kHighest = 0x80 * kOnes;
  const uint64_t difference = (a | kHighest) - b, negative = (~difference & kHighest) >> 7;
  const uint64_t sizes = ((difference ^ negative * 0xff) & ~kHighest) + negative;
  return static_cast<uint32_t>(sizes * kOnes >> 56);  // without multiples of 256
}

// The common shapes of a level, found by their numbers of voxels: two shapes differ at least by the difference of these.
template <size_t Masks>
class CommonShapes {
 public:
  struct Near {
    uint32_t rank = kNone, distance = UINT32_MAX;
  };

  // The most common shape comes first.
  explicit CommonShapes(std::vector<Shape<Masks>> shapes) : shapes_(std::move(shapes)) {
    by_voxels_.resize(kMostVoxels + 1);
    for (uint32_t rank = 0; rank < shapes_.size(); ++rank)
      by_voxels_[shapes_[rank].voxels()].push_back({key_of(shapes_[rank]), rank});
  }

  const Shape<Masks>& operator[](uint32_t rank) const { return shapes_[rank]; }

  // Returns the nearest shape that lies within the limit, of several the most common one, if it differs in at most `most`
  // voxels.
  Near nearest(const Shape<Masks>& shape, const Limit& limit, uint32_t most) const {
    const auto voxels = static_cast<int32_t>(shape.voxels());
    const uint64_t key = key_of(shape);
    Near best = {kNone, most};
    for (int32_t step = 0; step <= static_cast<int32_t>(best.distance); ++step) {
      look_at(voxels - step, shape, key, limit, best);
      if (step > 0) look_at(voxels + step, shape, key, limit, best);
    }
    return best;
  }

 private:
  static constexpr int32_t kMostVoxels = 64 * Masks;

  struct Entry {
    uint64_t key;
    uint32_t rank;
  };

  // Looks at the shapes with this number of voxels.
  void look_at(int32_t voxels, const Shape<Masks>& shape, uint64_t key, const Limit& limit,
               Near& best) const {
    if (voxels < 0 || voxels > kMostVoxels) return;
    for (const Entry& entry : by_voxels_[static_cast<size_t>(voxels)]) {
      if (least_distance<Masks>(key, entry.key) > best.distance) continue;
      const uint32_t distance = shape.distance(shapes_[entry.rank], best.distance + 1);
      const bool is_better =
          distance < best.distance || (distance == best.distance && entry.rank < best.rank);
      if (is_better && shapes_[entry.rank].lies_within(limit)) best = {entry.rank, distance};
    }
  }

  std::vector<Shape<Masks>> shapes_;
  std::vector<std::vector<Entry>> by_voxels_;  // by rank in each
};

// A node's shape in the first DAG and in the one that is made.
template <size_t Masks>
struct ChangedShape {
  Shape<Masks> first, now;
};

// Replaces shapes of a level, each node of which has its uses, as long as at most `most` voxels differ from the first DAG.
template <size_t Masks>
class LevelReplacer {
 public:
  LevelReplacer(std::vector<ChangedShape<Masks>>& shapes, const std::vector<Use>& uses, uint64_t most)
      : shapes_(shapes), uses_(uses), most_(most) {}

  struct Replaced {
    uint64_t nodes = 0, changed_voxels = 0;
  };

  // `changed` voxels differ already.
  Replaced replace(uint64_t changed) {
    const CommonShapes<Masks> common(common_shapes());
    const std::vector<Change> changes = cheapest_changes(common, changed);
    Replaced replaced = {0, changed};
    for (const Change& change : changes) {
      const auto after = static_cast<int64_t>(replaced.changed_voxels) + change.more;
      if (after > static_cast<int64_t>(most_)) break;
      replaced.changed_voxels = static_cast<uint64_t>(after);
      shapes_[change.number].now = common[change.rank];
      ++replaced.nodes;
    }
    return replaced;
  }

 private:
  struct Change {
    int64_t more;  // voxels of the scene that change, besides those that have changed already
    uint32_t number, rank;
  };

  // The different shapes that the nodes have now, the most common first; of equally common ones the first node's.
  std::vector<Shape<Masks>> common_shapes() {
    std::vector<uint32_t> order(shapes_.size());
    std::iota(order.begin(), order.end(), 0u);
    tbb::parallel_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      const auto &one = shapes_[a].now.masks, &other = shapes_[b].now.masks;
      return one != other ? one < other : a < b;
    });
    struct Kind {
      uint64_t places;
      uint32_t number;  // of the first node
    };
    std::vector<Kind> kinds;
    for (const uint32_t number : order) {
      if (kinds.empty() || !(shapes_[kinds.back().number].now == shapes_[number].now))
        kinds.push_back({0, number});
      kinds.back().places += uses_[number].places;
    }
    std::ranges::sort(kinds, [](const Kind& a, const Kind& b) {
      return a.places != b.places ? a.places > b.places : a.number < b.number;
    });
    kinds.resize(std::min<uint64_t>((kinds.size() + 3) / 4, kMostCommon));
    std::vector<Shape<Masks>> shapes;
    for (const Kind& kind : kinds) shapes.push_back(shapes_[kind.number].now);
    return shapes;
  }

  // Returns the changes in the order in which they are made, as many as may be made and one more, or all. Most of the time
  // goes into nodes that have no near shape. So changes of few voxels are looked for first, and dearer ones only if the cheap
  // ones leave something of the share.
  std::vector<Change> cheapest_changes(const CommonShapes<Masks>& common, uint64_t changed) const {
    constexpr uint64_t kFewest = 4, kMore = 2;
    std::vector<Change> found;
    std::vector<uint32_t> left(shapes_.size());  // nodes whose nearest shape is not known
    std::iota(left.begin(), left.end(), 0u);
    for (uint64_t dearest = kFewest;; dearest *= kMore) {
      dearest = std::min(dearest, most_);
      look_for_changes(common, dearest, left, found);
      tbb::parallel_sort(found.begin(), found.end(), [](const Change& a, const Change& b) {
        return a.more != b.more ? a.more < b.more : a.number < b.number;
      });
      auto after = static_cast<int64_t>(changed);
      const bool is_full = std::ranges::any_of(
          found, [&](const Change& change) { return (after += change.more) > static_cast<int64_t>(most_); });
      if (is_full || dearest == most_) return found;
    }
  }

  // Finds the changes of at most `dearest` voxels of the nodes that are left, and leaves those that are still unknown.
  void look_for_changes(const CommonShapes<Masks>& common, uint64_t dearest, std::vector<uint32_t>& left,
                        std::vector<Change>& found) const {
    std::vector<Change> changes(left.size());
    Progress progress("finding near nodes", left.size());
    for (uint64_t begin = 0; begin < left.size(); begin += kBatch) {
      throw_if_cancelled();
      const uint64_t end = std::min<uint64_t>(left.size(), begin + kBatch);
      parallel_for(begin, end, [&](uint64_t i) { changes[i] = possible_change(common, left[i], dearest); });
      progress.update(end, "");
    }
    left.clear();
    for (const Change& change : changes) {
      if (change.rank == kNone) left.push_back(change.number);
      if (change.rank < kIsCommon) found.push_back(change);
    }
  }

  Change possible_change(const CommonShapes<Masks>& common, uint32_t number, uint64_t dearest) const {
    const auto& [first, now] = shapes_[number];
    const Use& use = uses_[number];
    const uint64_t most = std::min<uint64_t>(64 * Masks, now.distance(first) + dearest / use.places);
    const auto near = common.nearest(first, use.limit, static_cast<uint32_t>(most));
    if (near.rank == kNone) return {0, number, kNone};
    if (common[near.rank] == now) return {0, number, kIsCommon};
    const int64_t more =
        (int64_t{near.distance} - int64_t{now.distance(first)}) * static_cast<int64_t>(use.places);
    return {more, number, near.rank};
  }

  std::vector<ChangedShape<Masks>>& shapes_;
  const std::vector<Use>& uses_;
  const uint64_t most_;
};

// Makes the leaves of changed shapes, and the nodes above them if there are any.
template <size_t Masks>
void add_changed(DerivedDag& made, const std::vector<ChangedShape<Masks>>& shapes) {
  constexpr uint64_t kAtOnce = 4096;
  std::vector<uint64_t> masks, firsts;  // of the leaves; the number of each shape's first one
  for (const ChangedShape<Masks>& shape : shapes) {
    firsts.push_back(masks.size());
    std::ranges::copy_if(shape.now.masks, std::back_inserter(masks), [](uint64_t mask) { return mask != 0; });
  }
  made.add_level(masks.size(), kAtOnce, [&](const NodeNumbers& range, const auto& put) {
    for (uint64_t i = range.begin(); i < range.end(); ++i)
      put(i, [&](uint32_t* words) {
        write_leaf_mask(words, masks[i]);
        return uint32_t{2};
      });
  });
  if constexpr (Masks == 8)
    made.add_level(shapes.size(), kAtOnce, [&](const NodeNumbers& range, const auto& put) {
      for (uint64_t i = range.begin(); i < range.end(); ++i)
        put(i, [&](uint32_t* words) {
          uint32_t size = 1, octants = 0;
          for (uint32_t octant = 0; octant < Masks; ++octant) {
            if (shapes[i].now.masks[octant] == 0) continue;
            words[size] = made.below()[firsts[i] + size - 1];
            octants |= 1u << octant;
            ++size;
          }
          words[0] = made.header_above(octants, words + 1);
          return size;
        });
    });
}

// Throws an Error if a leaf has no voxels, which a file may hold, too: the shapes that are made must have some.
std::vector<ChangedShape<1>> shapes_of_leaves(const FrozenDag& dag) {
  std::vector<ChangedShape<1>> shapes(dag.levels.back().nodes);
  parallel_for(size_t{0}, shapes.size(), [&](size_t i) {
    const uint64_t mask = leaf_mask(dag.levels.back().node(i));
    if (mask == 0) throw Error("a leaf has no voxels").at(fmt::format("level {}", dag.depth()));
    shapes[i].first.masks[0] = shapes[i].now.masks[0] = mask;
  });
  return shapes;
}

// The shapes of the nodes above the leaves.
std::vector<ChangedShape<8>> shapes_of_nodes(const DagLevel& level,
                                             const std::vector<ChangedShape<1>>& leaves) {
  std::vector<ChangedShape<8>> shapes(level.nodes);
  parallel_for(size_t{0}, shapes.size(), [&](size_t i) {
    visit_children(level.node(i), [&](uint32_t octant, uint32_t leaf) {
      shapes[i].first.masks[octant] = leaves[leaf].first.masks[0];
      shapes[i].now.masks[octant] = leaves[leaf].now.masks[0];
    });
  });
  return shapes;
}

}  // namespace

LossyDag lossy(const FrozenDag& dag, double share, uint64_t memory_limit) {
  LossyDag result;
  result.dag = empty_dag(dag.resolution, false);
  if (dag.empty()) {
    result.dag = dag;
    return result;
  }
  const auto most = static_cast<uint64_t>(std::floor(share * static_cast<double>(dag.voxels)));
  std::vector<Use> node_uses, uses = {{1, {dag.resolution, dag.resolution, dag.resolution}}};
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    std::vector<Use> below = uses_below(dag, level, uses);
    if (level + 1 == dag.depth()) node_uses = std::move(uses);
    uses = std::move(below);
  }
  std::vector<ChangedShape<1>> leaves = shapes_of_leaves(dag);
  const auto changed_leaves = LevelReplacer<1>(leaves, uses, most / kLeafPart).replace(0);
  result.replaced_leaves = changed_leaves.nodes;
  result.changed_voxels = changed_leaves.changed_voxels;

  DerivedDag made(result.dag, memory_limit);
  if (dag.depth() == 0) {
    add_changed(made, leaves);
  } else {
    std::vector<ChangedShape<8>> shapes = shapes_of_nodes(dag.levels[dag.depth() - 1], leaves);
    const auto changed_nodes = LevelReplacer<8>(shapes, node_uses, most).replace(result.changed_voxels);
    result.replaced_nodes = changed_nodes.nodes;
    result.changed_voxels = changed_nodes.changed_voxels;
    add_changed(made, shapes);
    made.add_levels_above(dag);
  }
  result.dag.digest = compute_digest(result.dag);
  count_octree(result.dag);
  return result;
}

}  // namespace vox::dag
