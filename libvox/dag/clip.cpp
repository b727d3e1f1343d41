#include "libvox/dag/clip.h"

#include <algorithm>

#include "libvox/base/cancel.h"
#include "libvox/dag/host_store.h"
#include "libvox/dag/walk.h"
#include "libvox/hash/slab_memory.h"

namespace vox::dag {
namespace {

class Clipping {
 public:
  Clipping(const FrozenDag& dag, const VoxelBox& box)
      : dag_(dag), box_(box), store_(dag.materials), whole_(dag.levels.size()), cut_(dag.levels.size()) {}

  FrozenDag run() {
    if (dag_.empty()) return dag_;
    for (uint32_t level = dag_.depth() + 1; level-- > 0;) put_whole(level);
    cut_[0].push_back({{0, 0, 0}, 0, hash::kNullPointer});
    for (uint32_t level = 0; level < dag_.depth(); ++level) find_cut_below(level);
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

  // Puts the nodes of a level into the store, unchanged.
  void put_whole(uint32_t level) {
    const DagLevel& here = dag_.levels[level];
    if (level == dag_.depth()) return put_leaves(here);
    throw_if_cancelled();
    std::vector<uint8_t> masks;
    std::vector<uint32_t> children;
    for (uint64_t number = 0; number < here.places.nodes(); ++number) {
      const uint32_t* node = here.node(number);
      masks.push_back(static_cast<uint8_t>(child_mask(node[0])));
      for (uint32_t i = 1; i < node_words(node[0]); ++i) children.push_back(whole_[level + 1][node[i]]);
    }
    whole_[level] = store_.put_nodes(masks, children, kind_below(level));
  }

  void put_leaves(const DagLevel& leaves) {
    constexpr uint64_t kBatch = uint64_t{1} << 24;  // so that a batch has fewer than 2^32 words
    const uint64_t count = leaves.places.nodes();
    for (uint64_t begin = 0; begin < count; begin += kBatch) {
      throw_if_cancelled();
      const uint64_t end = std::min(begin + kBatch, count), first = leaves.places[begin];
      std::vector<uint32_t> offsets;
      for (uint64_t number = begin; number <= end; ++number)
        offsets.push_back(static_cast<uint32_t>(leaves.places[number] - first));
      const std::vector<uint32_t> pointers =
          store_.put_leaves(std::span(leaves.words).subspan(first, offsets.back()), offsets);
      whole_.back().insert(whole_.back().end(), pointers.begin(), pointers.end());
    }
  }

  void find_cut_below(uint32_t level) {
    for (const CutNode& node : cut_[level])
      for_each_child(level, node, [&](Place place, uint32_t, Int3 corner, uint32_t number) {
        if (place == Place::Cut) cut_[level + 1].push_back({corner, number, hash::kNullPointer});
      });
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

  // The cut children stand in the level below in the order in which find_cut_below() has visited them.
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
        if (place == Place::Inside) pointer = whole_[level + 1][number];
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
  std::vector<std::vector<uint32_t>> whole_;  // the store's pointers to the nodes of each level
  std::vector<std::vector<CutNode>> cut_;     // the cut nodes of each level
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
  part.up = scene.up;
  return part;
}

}  // namespace vox::dag
