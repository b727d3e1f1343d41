#include "libvox/dag/parts.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/dag/node.h"
#include "libvox/dag/paged_level.h"
#include "libvox/dag/walk.h"
#include "libvox/hash/slab_memory.h"

namespace vox::dag {
namespace {

// Returns the header of the parent of these nodes.
uint32_t header_above(const TopNode* begin, const TopNode* end) {
  uint32_t header = 0;
  bool alike = end - begin == 8 && begin->material >= 0;
  for (const TopNode* child = begin; child < end; ++child) {
    header |= 1u << (child->code & 7);
    alike = alike && child->material == begin->material;
  }
  return alike ? homogeneous_header(static_cast<uint32_t>(begin->material)) : header;
}

}  // namespace

void sort_by_code(std::vector<TopNode>& nodes) {
  tbb::parallel_sort(nodes.begin(), nodes.end(),
                     [](const TopNode& a, const TopNode& b) { return a.code < b.code; });
}

NodesAbove nodes_above(const std::vector<TopNode>& children) {
  NodesAbove above;
  for (size_t i = 0; i < children.size(); ++i)
    if (i == 0 || children[i].code >> 3 != children[i - 1].code >> 3) above.starts.push_back(i);
  above.nodes.resize(above.starts.size());
  above.headers.resize(above.starts.size());
  above.starts.push_back(children.size());
  tbb::parallel_for(size_t{0}, above.nodes.size(), [&](size_t i) {
    const TopNode *begin = children.data() + above.starts[i], *end = children.data() + above.starts[i + 1];
    const uint32_t header = header_above(begin, end);
    above.headers[i] = header;
    above.nodes[i] = {.code = begin->code >> 3,
                      .digest = node_digest(header, [&](uint32_t c) { return begin[c].digest; }),
                      .material = is_homogeneous(header) ? begin->material : -1};
  });
  return above;
}

namespace {

class Clipping {
 public:
  Clipping(const FrozenDag& dag, const VoxelBox& box)
      : dag_(dag), box_(box), store_(dag.materials), whole_(dag.levels.size()), cut_(dag.levels.size()) {}

  FrozenDag run() {
    if (dag_.empty()) return dag_;
    cut_[0].push_back({{0, 0, 0}, 0, hash::kNullPointer});
    for (uint32_t level = 0; level < dag_.depth(); ++level) find_below(level);
    for (uint32_t level = dag_.depth() + 1; level-- > 0;) put_whole(level);
    put_cut_leaves();
    for (uint32_t level = dag_.depth(); level-- > 0;) put_cut_nodes(level);
    const uint32_t root = cut_[0][0].pointer;
    if (root != hash::kNullPointer) return store_.freeze(root, dag_.resolution);
    FrozenDag empty = empty_dag(dag_.resolution, dag_.materials);
    empty.digest = compute_digest(empty);
    return empty;
  }

 private:
  // A node that lies partly outside the box, and what is left of it.
  struct CutNode {
    Int3 corner;
    uint32_t number;
    uint32_t pointer;  // kNullPointer if nothing is left
  };
  enum class Place { Inside, Outside, Cut };

  Place place_of(uint32_t level, Int3 corner) const {
    const VoxelBox cube = cube_at(corner, dag_.level_side(level));
    const VoxelBox common = intersection(cube, box_);
    if (common.empty()) return Place::Outside;
    return common == cube ? Place::Inside : Place::Cut;
  }

  NodeKind kind_below(uint32_t level) const {
    return level + 1 == dag_.depth() ? NodeKind::Leaf : NodeKind::Inner;
  }

  // Calls body(place, octant, corner, number) for the children of a node.
  template <class Body>
  void for_each_child(uint32_t level, const CutNode& node, Body body) const {
    const uint32_t* words = dag_.levels[level].node(node.number);
    const uint32_t* pointer = words + 1;
    const auto half = static_cast<int32_t>(dag_.level_side(level + 1));
    for (uint32_t mask = child_mask(*words); mask != 0; mask &= mask - 1, ++pointer) {
      const auto octant = static_cast<uint32_t>(lowest_bit(mask));
      const Int3 corner = node.corner + octant_corner(octant, half);
      body(place_of(level + 1, corner), octant, corner, *pointer);
    }
  }

  // The nodes of a level that stay as they are, in the order of their numbers, and the store's pointers to them.
  struct Whole {
    std::vector<uint32_t> numbers, pointers;
    Words items;  // the nodes' words, kMaxItemWords for each, of a level that is read from its file

    uint32_t pointer(uint32_t number) const {
      return pointers[static_cast<size_t>(std::ranges::lower_bound(numbers, number) - numbers.begin())];
    }
  };

  // Finds the nodes of the next level that are cut, and those that stay as they are. Nothing else is read.
  void find_below(uint32_t level) {
    throw_if_cancelled();
    std::vector<uint32_t>& whole = whole_[level + 1].numbers;
    for (const CutNode& node : cut_[level])
      for_each_child(level, node, [&](Place place, uint32_t, Int3 corner, uint32_t number) {
        if (place == Place::Cut) cut_[level + 1].push_back({corner, number, hash::kNullPointer});
        if (place == Place::Inside) whole.push_back(number);
      });
    const std::vector<uint64_t> firsts = first_children(level);
    const size_t before = whole.size();
    whole.resize(before + firsts.back());
    tbb::parallel_for(size_t{0}, whole_[level].numbers.size(), [&](size_t i) {
      const uint32_t* node = whole_node(level, i);
      std::copy(node + 1, node + node_words(node[0]), whole.data() + before + firsts[i]);
    });
    tbb::parallel_sort(whole.begin(), whole.end());
    whole.erase(std::unique(whole.begin(), whole.end()), whole.end());
    read_whole(level + 1);
  }

  // Each chunk of the file is inflated once, though a part's nodes may lie anywhere in their level.
  void read_whole(uint32_t level) {
    const DagLevel& here = dag_.levels[level];
    if (!here.filed) return;
    Whole& whole = whole_[level];
    const NodeKind kind = level == dag_.depth() ? NodeKind::Leaf : NodeKind::Inner;
    whole.items.resize(whole.numbers.size() * hash::kMaxItemWords);
    parallel_for_each_of(here, whole.numbers, [&](size_t i, const uint32_t* node) {
      std::copy_n(node, words_of(node, kind, dag_.materials), whole.items.data() + i * hash::kMaxItemWords);
    });
  }

  // Returns the words of the i-th of the nodes of a level that stay as they are.
  const uint32_t* whole_node(uint32_t level, size_t i) const {
    const Whole& whole = whole_[level];
    return whole.items.empty() ? dag_.levels[level].node(whole.numbers[i])
                               : whole.items.data() + i * hash::kMaxItemWords;
  }

  // Returns how many children the nodes of a level that stay as they are have before each of them, and at the end how many
  // all have.
  std::vector<uint64_t> first_children(uint32_t level) const {
    const std::vector<uint32_t>& numbers = whole_[level].numbers;
    std::vector<uint64_t> firsts(numbers.size() + 1);
    tbb::parallel_for(size_t{0}, numbers.size(),
                      [&](size_t i) { firsts[i + 1] = node_words(whole_node(level, i)[0]) - 1; });
    std::partial_sum(firsts.begin(), firsts.end(), firsts.begin());
    return firsts;
  }

  void put_whole(uint32_t level) {
    throw_if_cancelled();
    if (level == dag_.depth()) return put_leaves();
    const std::vector<uint32_t>& numbers = whole_[level].numbers;
    const std::vector<uint64_t> firsts = first_children(level);
    std::vector<uint8_t> masks(numbers.size());
    std::vector<uint32_t> children(firsts.back());
    tbb::parallel_for(size_t{0}, numbers.size(), [&](size_t i) {
      const uint32_t* node = whole_node(level, i);
      masks[i] = static_cast<uint8_t>(child_mask(node[0]));
      for (uint32_t child = 1; child < node_words(node[0]); ++child)
        children[firsts[i] + child - 1] = whole_[level + 1].pointer(node[child]);
    });
    whole_[level].pointers = store_.put_nodes(masks, children, kind_below(level));
    whole_[level].items = {};
  }

  void put_leaves() {
    constexpr size_t kBatch = size_t{1} << 24;  // so that a batch has fewer than 2^32 words
    Whole& whole = whole_.back();
    for (size_t begin = 0; begin < whole.numbers.size(); begin += kBatch) {
      throw_if_cancelled();
      const std::span<const uint32_t> batch =
          std::span(whole.numbers).subspan(begin, std::min(kBatch, whole.numbers.size() - begin));
      std::vector<uint32_t> offsets(batch.size() + 1);
      tbb::parallel_for(size_t{0}, batch.size(), [&](size_t i) {
        const uint32_t* leaf = whole_node(dag_.depth(), begin + i);
        offsets[i + 1] = static_cast<uint32_t>(words_of(leaf, NodeKind::Leaf, dag_.materials));
      });
      std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
      std::vector<uint32_t> words(offsets.back());
      tbb::parallel_for(size_t{0}, batch.size(), [&](size_t i) {
        std::copy_n(whole_node(dag_.depth(), begin + i), offsets[i + 1] - offsets[i],
                    words.data() + offsets[i]);
      });
      const std::vector<uint32_t> pointers = store_.put_leaves(words, offsets);
      whole.pointers.insert(whole.pointers.end(), pointers.begin(), pointers.end());
    }
    whole.items = {};
  }

  void put_cut_leaves() {
    std::vector<uint32_t> words, offsets = {0};
    std::vector<CutNode*> left;
    for (CutNode& node : cut_.back()) {
      const uint32_t* leaf = dag_.levels.back().node(node.number);
      const uint64_t mask = leaf_mask(leaf) & leaf_mask_inside(node.corner, box_);
      if (mask == 0) continue;
      std::array<uint32_t, hash::kMaxItemWords> clipped_words = {};
      LeafWriter writer(clipped_words.data(), dag_.materials);
      for (uint64_t bits = mask; bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<uint32_t>(lowest_bit(bits));
        writer.put(bit, dag_.materials ? leaf_material(leaf, bit) : 0);
      }
      words.insert(words.end(), clipped_words.begin(), clipped_words.begin() + writer.finish());
      offsets.push_back(static_cast<uint32_t>(words.size()));
      left.push_back(&node);
    }
    const std::vector<uint32_t> pointers = store_.put_leaves(words, offsets);
    for (size_t i = 0; i < left.size(); ++i) left[i]->pointer = pointers[i];
  }

  // The cut children stand in the level below in the order in which find_below() has visited them.
  void put_cut_nodes(uint32_t level) {
    throw_if_cancelled();
    std::vector<uint8_t> masks;
    std::vector<uint32_t> children;
    std::vector<CutNode*> left;
    const CutNode* cut_child = cut_[level + 1].data();
    for (CutNode& node : cut_[level]) {
      uint32_t mask = 0;
      for_each_child(level, node, [&](Place place, uint32_t octant, Int3, uint32_t number) {
        uint32_t pointer = hash::kNullPointer;
        if (place == Place::Cut) pointer = (cut_child++)->pointer;
        if (place == Place::Inside) pointer = whole_[level + 1].pointer(number);
        if (pointer == hash::kNullPointer) return;
        mask |= 1u << octant;
        children.push_back(pointer);
      });
      if (mask == 0) continue;
      masks.push_back(static_cast<uint8_t>(mask));
      left.push_back(&node);
    }
    const std::vector<uint32_t> pointers = store_.put_nodes(masks, children, kind_below(level));
    for (size_t i = 0; i < left.size(); ++i) left[i]->pointer = pointers[i];
  }

  const FrozenDag& dag_;
  const VoxelBox box_;
  HostStore store_;
  std::vector<Whole> whole_;               // of each level
  std::vector<std::vector<CutNode>> cut_;  // the cut nodes of each level
};

}  // namespace

FrozenDag clipped(const FrozenDag& dag, const VoxelBox& box) {
  return Clipping(dag, box).run();
}

VoxelScene clipped_scene(const VoxelScene& scene, const VoxelBox& box) {
  VoxelScene part;
  part.dag = clipped(scene.dag, box);
  part.palette = scene.palette;
  part.origin = scene.origin;
  part.voxel_size = scene.voxel_size;
  part.unit = scene.unit;
  part.up = scene.up;
  return part;
}

namespace {

// Finds one face of the box. Distances are counted in voxels along the axis, from the face of the cube on that
// side. The search always opens the node that may hold the nearest voxel, and the smallest of several such
// nodes, until the nearest is a voxel. So if there is a voxel at the face of the cube, a few nodes are read.
// Otherwise, all nodes are read that reach farther out than the result, each unique node once.

enum class Face { Low, High };

class OutermostVoxel {
 public:
  OutermostVoxel(const FrozenDag& dag, uint32_t axis, Face face)
      : dag_(dag), axis_(axis), face_(face), opened_(dag.levels.size()) {}

  // Returns the coordinate of the outermost filled voxel's face: the first voxel's, or the end behind the last
  // one.
  int32_t coordinate() {
    const auto side = static_cast<int32_t>(dag_.side());
    return face_ == Face::Low ? distance() : side - distance();
  }

 private:
  // Nodes of a level whose nearest voxels may be at this distance, or a voxel that is at this distance.
  struct Candidates {
    int32_t distance;
    uint32_t level;  // one more than the leaves' for a voxel

    bool operator<(const Candidates& other) const {
      return distance != other.distance ? distance < other.distance : level > other.level;
    }
  };

  int32_t distance() {
    candidates_[{0, 0}] = {0};
    while (!candidates_.empty()) {
      const auto first = candidates_.begin();
      const Candidates best = first->first;
      if (best.level > dag_.depth()) return best.distance;
      if (first->second.empty()) {
        candidates_.erase(first);
        continue;
      }
      const uint32_t number = first->second.back();
      first->second.pop_back();
      // The first time that a node is opened, it is as far out as it can be.
      if (!opened_[best.level].insert(number).second) continue;
      const uint32_t* node = dag_.levels[best.level].node(number);
      if (best.level == dag_.depth())
        add_voxel(best, leaf_mask(node));
      else
        add_children(best, node);
    }
    throw Error("no leaf has voxels").hint("a verification of the file says more");
  }

  void add_voxel(const Candidates& leaf, uint64_t mask) {
    if (mask == 0) return;
    const VoxelBox box = leaf_bounds(mask);
    const int32_t inside =
        face_ == Face::Low ? box.min[axis_] : static_cast<int32_t>(kLeafSide) - box.max[axis_];
    candidates_[{leaf.distance + inside, leaf.level + 1}] = {};
  }

  void add_children(const Candidates& parent, const uint32_t* node) {
    const uint32_t low_half = lower_octants(axis_);
    const uint32_t outer = face_ == Face::Low ? low_half : ~low_half & 0xff;
    add(parent.distance, parent.level + 1, node, outer);
    add(parent.distance + static_cast<int32_t>(dag_.level_side(parent.level + 1)), parent.level + 1, node,
        ~outer & 0xff);
  }

  // Adds those children of a node that the mask `chosen` selects.
  void add(int32_t distance, uint32_t level, const uint32_t* node, uint32_t chosen) {
    chosen &= child_mask(node[0]);
    if (chosen == 0) return;
    std::vector<uint32_t>& numbers = candidates_[{distance, level}];
    for (; chosen != 0; chosen &= chosen - 1)
      numbers.push_back(node[child_word(node[0], static_cast<uint32_t>(lowest_bit(chosen)))]);
  }

  const FrozenDag& dag_;
  uint32_t axis_;
  Face face_;
  // The numbers of nodes. Those that are opened next come first.
  std::map<Candidates, std::vector<uint32_t>> candidates_;
  std::vector<std::unordered_set<uint32_t>> opened_;  // the numbers of opened nodes, by level
};

}  // namespace

VoxelBox filled_box(const FrozenDag& dag) {
  if (dag.empty()) return {};
  const auto face = [&](Face f) {
    return Int3{OutermostVoxel(dag, 0, f).coordinate(), OutermostVoxel(dag, 1, f).coordinate(),
                OutermostVoxel(dag, 2, f).coordinate()};
  };
  return {face(Face::Low), face(Face::High)};
}

}  // namespace vox::dag
