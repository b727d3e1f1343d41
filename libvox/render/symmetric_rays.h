// The symmetric form of a DAG (dag/symmetric_dag.h) as rays read it. For rays, a node is a stored node with the
// symmetry that makes the node of it. Masks, children and boxes are turned when they are read, so that rays hit exactly
// what they hit in the plain DAG.
#pragma once

#include <cstddef>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/symmetry.h"
#include "libvox/dag/levels.h"
#include "libvox/dag/symmetric_dag.h"
#include "libvox/render/ray_dag.h"

namespace vox::render {

struct SymmetricNode {
  const uint32_t* words;  // 8 B, of the stored node
  uint32_t turn;          // 4 B, the symmetry

  SymmetricNode() = default;
  VOX_HD SymmetricNode(std::nullptr_t) : words(nullptr), turn(0) {}
  VOX_HD SymmetricNode(const uint32_t* of, uint32_t by) : words(of), turn(by) {}
  VOX_HD friend bool operator==(const SymmetricNode& node, std::nullptr_t) { return node.words == nullptr; }
};

struct TurnTables {
  SymmetryTables group;                     //  2,544 B
  uint8_t masks[kSymmetries][256];          // 12,288 B, each child mask after each symmetry
  uint8_t axes[kSymmetries / kMirrors][3];  //     18 B, kAxisPermutations
};

inline TurnTables make_turn_tables() {
  TurnTables tables = {};
  tables.group = kSymmetryTables;
  for (uint32_t turn = 0; turn < kSymmetries; ++turn)
    for (uint32_t mask = 0; mask < 256; ++mask)
      for (uint32_t left = mask; left != 0; left &= left - 1)
        tables.masks[turn][mask] |=
            static_cast<uint8_t>(1u << moved_octant(turn, static_cast<uint32_t>(lowest_bit(left))));
  for (uint32_t permutation = 0; permutation < kSymmetries / kMirrors; ++permutation)
    for (uint32_t axis = 0; axis < 3; ++axis)
      tables.axes[permutation][axis] = static_cast<uint8_t>(kAxisPermutations[permutation][axis]);
  return tables;
}

// RayDagRef explains the members.
struct SymmetricRayRef {
  using Node = SymmetricNode;
  static constexpr bool kMayHaveMaterials = false;

  const uint32_t* nodes[kMaxLog2Side + 1];  // 168 B, child pointers are offsets in words
  const uint32_t* root;                     //   8 B
  const PackedBox* boxes;                   //   8 B, of stored nodes
  const TurnTables* tables;                 //   8 B
  uint32_t log2_side, finest, filled;       //  12 B

  VOX_HD Node root_node() const { return {root, 0}; }
  void prefetch(const Node& node, bool its_box) const {
    prefetch_line(its_box ? static_cast<const void*>(boxes + ((node.words - root) >> 1)) : node.words);
  }
  VOX_HD uint32_t header(const Node& node) const {
    if (dag::symmetric_is_full(node.words)) return dag::homogeneous_header(0);
    return tables->masks[node.turn][dag::child_mask(node.words[0])];
  }
  VOX_HD uint64_t leaf(const Node& node) const {
    return turned_voxels(dag::leaf_mask(node.words), node.turn);
  }
  VOX_HD Node child_in(uint32_t log2, const Node& node, uint32_t, uint32_t octant) const {
    const uint32_t from = tables->group.source(node.turn, octant);
    return {nodes[log2] + node.words[dag::symmetric_child_word(node.words[0], from)],
            tables->group.products[node.turn][dag::symmetric_turn(node.words, from)]};
  }
  VOX_HD uint64_t packed_node(const Node& node, uint32_t header) const {
    return static_cast<uint64_t>(node.words - root) << (8 + dag::kTurnBits) | uint64_t{node.turn} << 8 |
           dag::child_mask(header);
  }
  VOX_HD Node unpacked_node(uint64_t at) const {
    return {root + (at >> (8 + dag::kTurnBits)), static_cast<uint32_t>(at >> 8 & 63)};
  }
  // `numbers` are those of dag::voxels_of_children().
  VOX_HD uint64_t voxels_before(const dag::VoxelNumbersRef& numbers, const Node& node,
                                uint32_t octant) const {
    const auto first = static_cast<uint64_t>(node.words - root);
    uint64_t voxels = 0;
    for (uint32_t before = 0; before < octant; ++before) {
      const uint32_t from = tables->group.source(node.turn, before);
      if ((node.words[0] >> from & 1) != 0)
        voxels += numbers[first + dag::symmetric_child_word(node.words[0], from)];
    }
    return voxels;
  }
  VOX_HD uint64_t voxels_below(const dag::VoxelNumbersRef& numbers, const Node& node) const {
    return numbers[static_cast<uint64_t>(node.words - root)];
  }

  struct Reached {
    Node node;
    uint32_t pointer;
  };
  VOX_HD Reached reach(Int3 voxel, uint32_t log2_node) const {
    if (!filled) return {nullptr, 0};
    Node at = root_node();
    for (uint32_t log2 = log2_side; log2 > log2_node && log2 > dag::kLeafLog2;) {
      --log2;
      const uint32_t octant = octant_at(voxel, log2), mask = header(at);
      if ((dag::child_mask(mask) >> octant & 1) == 0) return {nullptr, 0};
      at = child_in(log2, at, mask, octant);
    }
    return {at, 0};
  }
  VOX_HD Node node_at(Int3 voxel, uint32_t log2_node) const { return reach(voxel, log2_node).node; }
  VOX_HD uint32_t material_at(Int3 voxel) const {
    const Node at = node_at(voxel, dag::kLeafLog2);
    return at == nullptr || (leaf(at) >> cube_bit(voxel) & 1) == 0 ? kNoMaterial : 0;
  }

  VOX_HD NodeBox box(const Node& node, uint32_t log2) const {
    return turned(unpacked(boxes[static_cast<uint64_t>(node.words - root) >> 1], log2), node.turn, log2);
  }
  // Returns the box of a node of 2^log2 voxels a side after a symmetry.
  VOX_HD NodeBox turned(const NodeBox& box, uint32_t turn, uint32_t log2) const {
    NodeBox result = {};
    const int32_t side = 1 << log2;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const uint32_t to = tables->axes[turn / kMirrors][axis];
      const bool mirrored = (turn >> to & 1) != 0;
      result.low[to] = mirrored ? side - box.high[axis] : box.low[axis];
      result.high[to] = mirrored ? side - box.low[axis] : box.high[axis];
    }
    return result;
  }
};

// Replaces the child numbers of a level by word offsets.
struct PointSymmetric {
  dag::LevelRef level;
  dag::NodePlacesRef below;
  VOX_HD void operator()(uint64_t i) const {
    uint32_t* const node = level.node(i);
    for (uint32_t c = dag::kSymmetricHeaderWords; c < dag::symmetric_words(node[0]); ++c)
      node[c] = static_cast<uint32_t>(below[node[c]]);
  }
};

// Makes the boxes of a level's stored nodes. Their children must have theirs.
struct BoundSymmetric {
  SymmetricRayRef dag;
  dag::LevelRef level;
  uint32_t log2;
  PackedBox* boxes;

  VOX_HD void operator()(uint64_t i) const {
    const SymmetricNode node = {level.node(i), 0};
    const int32_t half = 1 << (log2 - 1);
    NodeBox all = {{2 * half, 2 * half, 2 * half}, {0, 0, 0}};
    for (uint32_t left = dag::child_mask(node.words[0]); left != 0; left &= left - 1) {
      const auto octant = static_cast<uint32_t>(lowest_bit(left));
      const SymmetricNode child = dag.child_in(log2 - 1, node, 0, octant);
      const NodeBox box = log2 - 1 == dag::kLeafLog2 ? leaf_box(dag.leaf(child)) : dag.box(child, log2 - 1);
      const Int3 corner = octant_corner(octant, half);
      for (uint32_t axis = 0; axis < 3; ++axis) {
        const int32_t low = corner[axis] + box.low[axis], high = corner[axis] + box.high[axis];
        if (low < all.low[axis]) all.low[axis] = low;
        if (high > all.high[axis]) all.high[axis] = high;
      }
    }
    boxes[static_cast<uint64_t>(node.words - dag.root) >> 1] = packed(all, log2);
  }
};

// A symmetric DAG on a device.
template <class Device>
class SymmetricRays {
 public:
  // Throws Error if a level has 2^32 words or more, because pointers are offsets of 32 bits.
  SymmetricRays(Device& device, const dag::SymmetricDag& dag) {
    ref_.log2_side = dag::kLeafLog2 + dag.depth();
    ref_.finest = dag::kLeafLog2;
    ref_.filled = dag.empty() ? 0 : 1;
    tables_ = device.template make<TurnTables>(1);
    const TurnTables tables = make_turn_tables();
    device.upload(tables_.data(), &tables, 1);
    device.sync();  // the tables are on the stack
    ref_.tables = tables_.data();
    words_ = device.template make<uint32_t>(dag.bytes() / sizeof(uint32_t));
    uint32_t* to = words_.data();
    for (const dag::SymmetricLevel& level : dag.levels) {
      if (level.words.size() >= kFarWords)
        throw Error("a level of the symmetric form has too many words for rays")
            .hint("show the SVDAG instead");
      device.upload(to, level.words.data(), level.words.size());
      levels_.push_back({to, device::uploaded(device, level.places.blocks()), level.nodes});
      to += level.words.size();
    }
    ref_.root = words_.data();
    for (uint32_t level = 0; level <= dag.depth(); ++level) {
      ref_.nodes[ref_.log2_side - level] = levels_[level].begin;
      if (level < dag.depth())
        device.for_each({"render: child offsets", 40}, levels_[level].nodes,
                        PointSymmetric{levels_[level].ref(), {levels_[level + 1].places.data()}});
    }
  }

  SymmetricRayRef ref() const { return ref_; }
  bool is_in_place() const { return false; }
  bool has_boxes() const { return ref_.boxes != nullptr; }

  void make_boxes(Device& device) {
    if (!ref_.filled || ref_.log2_side == dag::kLeafLog2) return;
    const auto inner = static_cast<uint64_t>(ref_.nodes[dag::kLeafLog2] - ref_.root);
    boxes_ = device.template make<PackedBox>(inner / 2 + 1);
    ref_.boxes = boxes_.data();
    for (uint32_t log2 = dag::kLeafLog2 + 1; log2 <= ref_.log2_side; ++log2) {
      const Level& level = levels_[ref_.log2_side - log2];
      device.for_each({"render: bound nodes", 80}, level.nodes,
                      BoundSymmetric{ref_, level.ref(), log2, boxes_.data()});
    }
  }

 private:
  struct Level {
    uint32_t* begin;
    device::Buffer<dag::PlacesBlock> places;
    uint64_t nodes;
    dag::LevelRef ref() const { return {begin, {places.data()}}; }
  };

  device::Buffer<uint32_t> words_;
  device::Buffer<TurnTables> tables_;
  device::Buffer<PackedBox> boxes_;
  std::vector<Level> levels_;  // from the root's down
  SymmetricRayRef ref_ = {};
};

}  // namespace vox::render
