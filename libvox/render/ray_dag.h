// A DAG in the form that rays read: the words of a FrozenDag on a device. A child pointer is the child's
// offset in words within the next level, so that rays need not look up the child's place. A level with too
// many words for this is a far level: its nodes are found by their numbers.
#pragma once

#include <utility>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/dag/levels.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"
#include "libvox/device/device.h"
#include "libvox/render/ray.h"

namespace vox::render {

// The box around the voxels of a node. A ray that goes no deeper than the node hits this box.
//
// The node's whole cube would stand out in front of the surfaces in it, so that a wall would move where
// rays go less deep. The box does not: around a wall along an axis, the box is the wall itself.

// A box in voxels, relative to the node's corner; `high` is excluded.
struct NodeBox {
  Int3 low, high;
};

// A box in 60 bits: ten each for the lowest x, y, z and for the last x, y, z, from the lowest bit up. They
// count voxels. In nodes wider than 1024 voxels they count cubes of the smallest side for which ten bits are
// enough; the box then becomes larger by at most a 1024th of the node.
using PackedBox = uint64_t;

VOX_HD inline uint32_t packed_shift(uint32_t log2_side) {
  return log2_side > 10 ? log2_side - 10 : 0;
}

VOX_HD inline PackedBox packed(const NodeBox& box, uint32_t log2_side) {
  const uint32_t shift = packed_shift(log2_side);
  const auto part = [shift](int32_t voxel, uint32_t bit) {
    return static_cast<PackedBox>(static_cast<uint32_t>(voxel) >> shift) << bit;
  };
  return part(box.low.x, 0) | part(box.low.y, 10) | part(box.low.z, 20) | part(box.high.x - 1, 30) |
         part(box.high.y - 1, 40) | part(box.high.z - 1, 50);
}

VOX_HD inline NodeBox unpacked(PackedBox box, uint32_t log2_side) {
  const uint32_t shift = packed_shift(log2_side);
  const auto part = [=](uint32_t bit, int32_t more) {
    return (static_cast<int32_t>(box >> bit & 1023) + more) << shift;
  };
  return {{part(0, 0), part(10, 0), part(20, 0)}, {part(30, 1), part(40, 1), part(50, 1)}};
}

// Returns the box around a leaf's voxels. The mask must not be 0.
VOX_HD inline NodeBox leaf_box(uint64_t mask) {
  const VoxelBox box = dag::leaf_bounds(mask);
  return {box.min, box.max};
}

inline constexpr uint32_t kMaxLog2Side = 20;
inline constexpr uint32_t kNoMaterial = UINT32_MAX;  // the material of an empty voxel

// VOX_SELDOM marks functions that rays on a CPU seldom call. They are not inlined, because they would take registers
// from the code around them.
#ifdef __CUDA_ARCH__
#define VOX_SELDOM
#else
#define VOX_SELDOM __attribute__((noinline, cold))
#endif

struct RayDagRef {
  // A level whose nodes are found by their numbers.
  struct FarLevel {
    const uint32_t* words;           // 8 B
    const dag::PlacesBlock* places;  // 8 B, the places where its nodes begin
  };

  const uint32_t* nodes[kMaxLog2Side + 1];  // 168 B, [i]: nodes with a side of 2^i voxels; [kLeafLog2]:
                                            // leaves; nullptr if the level is far
  FarLevel far_levels[kMaxLog2Side + 1];    // 336 B, [i]: those nodes if the level is far
  const uint32_t* root;                     // 8 B, its words; those of the other levels follow, unless the
                                            // DAG is read in place
  const PackedBox* boxes;  // 8 B, by box_index(), for pixels that have a width; nullptr: boxes are estimated
  uint32_t log2_side;      // 4 B, log2 of the root's side
  uint32_t finest;     // 4 B, log2 of the least side of cells at which rays stop because of a pixel's width
  uint32_t filled;     // 4 B, 0: there is no root
  uint32_t materials;  // 4 B, 1: the leaves hold materials

  // Rays read nodes and leaves only through these members, which SymmetricRayRef (symmetric_rays.h) has, too. A Node
  // names a node or a leaf; nullptr means an empty one.
  using Node = const uint32_t*;
  static constexpr bool kMayHaveMaterials = true;

  VOX_HD Node root_node() const { return root; }
  // Begins to read a node, or its box. Processors alone do this.
  void prefetch(Node node, bool its_box) const {
    prefetch_line(its_box && boxes != nullptr ? static_cast<const void*>(boxes + box_index(node)) : node);
  }
  // Returns a header. Rays use its child mask and its homogeneous material.
  VOX_HD uint32_t header(Node node) const { return node[0]; }
  VOX_HD uint64_t leaf(Node node) const { return dag::leaf_mask(node); }
  // Returns the child of 2^log2 voxels a side in an octant, which must be present. `mask` is the node's header.
  VOX_HD Node child_in(uint32_t log2, Node node, uint32_t mask, uint32_t octant) const {
    return child(log2, node[dag::child_word(mask, octant)]);
  }
  // Packs a node into 56 bits, above its child mask. The distance from the root in words may be negative if levels lie
  // in several arrays.
  VOX_HD uint64_t packed_node(Node node, uint32_t header) const {
    return static_cast<uint64_t>(node - root) << 8 | dag::child_mask(header);
  }
  VOX_HD Node unpacked_node(uint64_t at) const { return root + (static_cast<int64_t>(at) >> 8); }
  // These return the number of voxels below all children before the one in an octant, and below the whole node.
  VOX_HD uint64_t voxels_before(const dag::VoxelNumbersRef& numbers, Node node, uint32_t octant) const {
    return numbers[static_cast<uint64_t>(node - root) + dag::child_word(node[0], octant)];
  }
  VOX_HD uint64_t voxels_below(const dag::VoxelNumbersRef& numbers, Node node) const {
    return numbers[static_cast<uint64_t>(node - root)];
  }

  VOX_HD bool is_far(uint32_t log2) const { return nodes[log2] == nullptr; }

  // Returns the words of all nodes with a side of 2^log2 voxels.
  VOX_HD const uint32_t* level(uint32_t log2) const {
    return is_far(log2) ? far_levels[log2].words : nodes[log2];
  }

  // Returns the node with a side of 2^log2 voxels to which a pointer of its parent leads.
  VOX_HD const uint32_t* child(uint32_t log2, uint32_t pointer) const {
    const uint32_t* near = nodes[log2];
    return near != nullptr ? near + pointer : far_child(log2, pointer);
  }
  VOX_SELDOM VOX_HD const uint32_t* far_child(uint32_t log2, uint32_t number) const {
    return far_levels[log2].words + dag::NodePlacesRef{far_levels[log2].places}[number];
  }

  // A node, and its parent's pointer to it. The root's pointer is 0.
  struct Reached {
    const uint32_t* node;
    uint32_t pointer;
  };

  // Returns the node of 2^log2_node voxels a side that contains a voxel, or the leaf if such a node would be
  // smaller than a leaf. The address is nullptr if nothing in the node is filled.
  VOX_HD Reached reach(Int3 voxel, uint32_t log2_node) const {
    if (!filled) return {nullptr, 0};
    Reached at = {root, 0};
    for (uint32_t log2 = log2_side; log2 > log2_node && log2 > dag::kLeafLog2;) {
      --log2;
      const uint32_t octant = octant_at(voxel, log2);
      if ((dag::child_mask(at.node[0]) >> octant & 1) == 0) return {nullptr, 0};
      at.pointer = at.node[dag::child_word(at.node[0], octant)];
      at.node = child(log2, at.pointer);
    }
    return at;
  }
  VOX_HD const uint32_t* node_at(Int3 voxel, uint32_t log2_node) const {
    return reach(voxel, log2_node).node;
  }

  // Walks from the root to a voxel of the cube, and returns its material or kNoMaterial.
  VOX_HD uint32_t material_at(Int3 voxel) const {
    const uint32_t* leaf = node_at(voxel, dag::kLeafLog2);
    const uint32_t bit = cube_bit(voxel);
    return leaf != nullptr && (dag::leaf_mask(leaf) >> bit & 1) != 0 ? material(leaf, bit) : kNoMaterial;
  }

  // Returns the material of the voxel at this bit of a leaf's mask. The voxel must be filled.
  VOX_HD uint32_t material(const uint32_t* leaf, uint32_t bit) const {
    return materials ? dag::leaf_material(leaf, bit) : 0;
  }

  // Returns the index of an inner node's box. No two nodes share one, because each of them has two words or
  // more.
  VOX_HD uint64_t box_index(const uint32_t* node) const { return static_cast<uint64_t>(node - root) >> 1; }
  VOX_HD NodeBox box(const uint32_t* node, uint32_t log2) const {
#ifndef __CUDA_ARCH__  // A GPU always has boxes, and its kernels would need more registers.
    if (boxes == nullptr) return estimated_box(node, log2);
#endif
    return unpacked(boxes[box_index(node)], log2);
  }

  // Divides an inner node into 4³ cells, and returns the box around those that hold something. It contains the box
  // around the voxels, and each of its faces is less than a quarter of the node's side away from that box's face.
  VOX_SELDOM VOX_HD NodeBox estimated_box(const uint32_t* node, uint32_t log2) const {
    uint64_t cells = 0;
    const uint32_t* pointer = node + 1;
    for (uint32_t left = dag::child_mask(node[0]); left != 0; left &= left - 1, ++pointer) {
      const uint32_t* below = child(log2 - 1, *pointer);
      const uint32_t eighths =
          log2 - 1 == dag::kLeafLog2 ? dag::filled_blocks(dag::leaf_mask(below)) : dag::child_mask(below[0]);
      cells |= uint64_t{eighths} << 8 * lowest_bit(left);
    }
    // A damaged part of a paged scene looks empty until the error is thrown.
    if (cells == 0) cells = ~uint64_t{0};
    const NodeBox box = leaf_box(cells);
    const int32_t side = 1 << (log2 - dag::kLeafLog2);
    return {box.low * side, box.high * side};
  }
};
#undef VOX_SELDOM

// Replaces the child numbers of a level by word offsets.
struct PointToWords {
  dag::LevelRef level;
  dag::NodePlacesRef below;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) return;
    const uint32_t* node = level.node(i);
    for (uint32_t c = 1; c < dag::node_words(node[0]); ++c) below.prefetch(node[c]);
  }
  VOX_HD void operator()(uint64_t i) const {
    uint32_t* node = level.node(i);
    for (uint32_t c = 1; c < dag::node_words(node[0]); ++c) node[c] = static_cast<uint32_t>(below[node[c]]);
  }
};
static_assert(device::PrefetchingBody<PointToWords>);

// A level with this many words or more is far, because offsets are 32-bit words.
inline constexpr uint64_t kFarWords = uint64_t{1} << 32;

template <class Device>
class RayDag {
 public:
  // check_structure() must accept the DAG. If its words are paged and the device can read the host's memory,
  // rays read the words in place. The DAG must then outlive this object, and all levels are far. Otherwise
  // the device gets a copy. Tests set `far_words` to small numbers.
  RayDag(Device& device, const dag::FrozenDag& dag, uint64_t far_words = kFarWords) {
    ref_.log2_side = dag::kLeafLog2 + dag.depth();
    ref_.finest = dag::kLeafLog2;
    ref_.filled = dag.empty() ? 0 : 1;
    ref_.materials = dag.materials ? 1 : 0;
    if (device::kReadsHostMemory<Device> && dag.paged)
      read_in_place(dag);
    else
      copy(device, dag, far_words);
  }

  RayDagRef ref() const { return ref_; }

  // True if nothing was copied. Then no loop should visit all nodes.
  bool is_in_place() const { return in_place_; }

  // Takes the boxes that bound_nodes() has made for the nodes of 2^finest voxels a side and more, and adds them to
  // ref(). If all nodes have boxes, rays stop at leaves, too. A DAG that is read in place has no boxes.
  void set_boxes(device::Buffer<PackedBox> boxes, uint32_t finest) {
    boxes_ = std::move(boxes);
    ref_.boxes = boxes_.data();
    ref_.finest = finest == dag::kLeafLog2 + 1 ? dag::kLeafLog2 : finest;
  }
  bool has_boxes() const { return ref_.boxes != nullptr; }

 private:
  void set_level(uint32_t log2, const uint32_t* words, const dag::PlacesBlock* far_places) {
    if (log2 == ref_.log2_side) ref_.root = words;
    if (far_places != nullptr)
      ref_.far_levels[log2] = {words, far_places};
    else
      ref_.nodes[log2] = words;
  }

  void read_in_place(const dag::FrozenDag& dag) {
    in_place_ = true;
    for (uint32_t level = 0; level <= dag.depth(); ++level)
      set_level(ref_.log2_side - level, dag.levels[level].words.data(),
                dag.levels[level].places.ref().blocks);
  }

  void copy(Device& device, const dag::FrozenDag& dag, uint64_t far_words) {
    words_ = device.template make<uint32_t>(dag.bytes() / sizeof(uint32_t));
    uint32_t* to = words_.data();
    dag::LevelRef above = {};
    std::vector<device::Buffer<dag::PlacesBlock>> places(dag.levels.size());
    for (uint32_t level = 0; level <= dag.depth(); ++level) {
      const Words& from = dag.levels[level].words;
      const uint32_t log2 = ref_.log2_side - level;
      const bool is_far = from.size() >= far_words;
      device.upload(to, from.data(), from.size());
      places[level] = device::uploaded(device, dag.levels[level].places.blocks());
      const dag::LevelRef here = {to, {places[level].data()}};
      set_level(log2, to, is_far ? here.places.blocks : nullptr);
      if (level > 0) {
        if (!is_far)
          device.for_each({"render: child offsets", 40}, dag.levels[level - 1].places.nodes(),
                          PointToWords{above, here.places});
        if (!ref_.is_far(log2 + 1)) places[level - 1].reset();
      }
      above = here;
      to += from.size();
    }
    if (!ref_.is_far(dag::kLeafLog2)) places.back().reset();
    places_ = std::move(places);
  }

  device::Buffer<uint32_t> words_;
  std::vector<device::Buffer<dag::PlacesBlock>> places_;  // the places of far levels' nodes
  device::Buffer<PackedBox> boxes_;
  bool in_place_ = false;
  RayDagRef ref_ = {};
};

}  // namespace vox::render
