// A DAG as rays read it: the words of a FrozenDag on a device, with all levels in one array. A child pointer
// is the child's offset in words within the next level, so that rays need not look up the child's place.
#pragma once

#include <string>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/vec.h"
#include "libvox/dag/device_level.h"
#include "libvox/dag/node.h"
#include "libvox/device/device.h"
#include "libvox/render/ray.h"

namespace vox::render {

// The box around the voxels of a node. A ray hits this box if it goes no deeper than the node.
//
// The node's cube would stand out in front of the surfaces in it, so that a wall would be in another place
// where rays go less deep. The box lies flush: around a wall along an axis, the box is the wall itself.

// A box in voxels, relative to the node's corner; `high` is excluded.
struct NodeBox {
  Int3 low, high;
};

// A box in 60 bits: ten each for the lowest x, y, z and for the last voxel along x, y, z, from the lowest bit
// up. The numbers count voxels. In nodes wider than 1024 voxels they count cubes, of the smallest side for
// which ten bits are enough, and the box is at most a 1024th of the node larger.
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

struct RayDagRef {
  const uint32_t* nodes[kMaxLog2Side + 1];  // 168 B, [i]: nodes with a side of 2^i voxels; [kLeafLog2]:
                                            // leaves
  const PackedBox* boxes;                   // 8 B, by box_index(); used if pixels have a width
  uint32_t log2_side;                       // 4 B, log2 of the root's side
  uint32_t filled;                          // 4 B, 0: there is no root
  uint32_t materials;                       // 4 B, 1: the leaves hold materials

  // The words of all levels, with the root's first.
  VOX_HD const uint32_t* words() const { return nodes[log2_side]; }

  // Returns the node of 2^log2_node voxels a side that contains a voxel, or the leaf if such a node would be
  // smaller than a leaf. Returns nullptr if nothing in it is filled.
  VOX_HD const uint32_t* node_at(Int3 voxel, uint32_t log2_node) const {
    if (!filled) return nullptr;
    const uint32_t* node = words();
    for (uint32_t log2 = log2_side; log2 > log2_node && log2 > dag::kLeafLog2;) {
      --log2;
      const uint32_t octant = octant_at(voxel, log2);
      if ((dag::child_mask(node[0]) >> octant & 1) == 0) return nullptr;
      node = nodes[log2] + node[dag::child_word(node[0], octant)];
    }
    return node;
  }

  // Returns the material of a voxel of the cube, or kNoMaterial, by a walk from the root.
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
  VOX_HD uint64_t box_index(const uint32_t* node) const { return static_cast<uint64_t>(node - words()) >> 1; }
  VOX_HD NodeBox box(const uint32_t* node, uint32_t log2) const {
    return unpacked(boxes[box_index(node)], log2);
  }
};

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

template <class Device>
class RayDag {
 public:
  // check_structure() must accept the DAG. Throws Error if a level has 2^32 words or more.
  RayDag(Device& device, const dag::FrozenDag& dag) {
    words_ = device.template make<uint32_t>(dag.bytes() / sizeof(uint32_t));
    ref_.log2_side = dag::kLeafLog2 + dag.depth();
    ref_.filled = dag.empty() ? 0 : 1;
    ref_.materials = dag.materials ? 1 : 0;
    uint32_t* to = words_.data();
    dag::LevelRef above = {};
    device::Buffer<dag::PlacesBlock> places_above;
    for (uint32_t level = 0; level <= dag.depth(); ++level) {
      const Words& from = dag.levels[level].words;
      if (from.size() > UINT32_MAX)
        throw Error("level " + std::to_string(level) +
                    " of the scene has 2^32 words or more, which rays cannot read")
            .hint("render a coarser level of it");
      device.upload(to, from.data(), from.size());
      auto places = device::uploaded(device, dag.levels[level].places.blocks());
      if (level > 0)
        device.for_each({"render: child offsets", 40}, dag.levels[level - 1].places.nodes(),
                        PointToWords{above, {places.data()}});
      above = {to, {places.data()}};
      places_above = std::move(places);
      ref_.nodes[ref_.log2_side - level] = to;
      to += from.size();
    }
  }

  RayDagRef ref() const { return ref_; }

  // Takes the boxes that bound_nodes() has made, and makes them part of ref().
  void set_boxes(device::Buffer<PackedBox> boxes) {
    boxes_ = std::move(boxes);
    ref_.boxes = boxes_.data();
  }
  bool has_boxes() const { return ref_.boxes != nullptr; }

 private:
  device::Buffer<uint32_t> words_;
  device::Buffer<PackedBox> boxes_;
  RayDagRef ref_ = {};
};

}  // namespace vox::render
