// The words of inner nodes (docs/formats.md, "The scene file") and of leaves (below). All code that knows their layout
// is in this file. An inner node:
//
//   word 0   header: bits 0–7 child mask, bit 8 homogeneous, bits 9–12 its material, the rest 0. A node is
//            homogeneous where all of its region is filled with one material.
//   word 1…  one 32-bit pointer for each present child, in the order of octants, see base/morton.h
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/geometry.h"
#include "libvox/base/hd.h"
#include "libvox/base/morton.h"
#include "libvox/base/vec.h"
#include "libvox/hash/batch.h"

namespace vox::dag {

// The words of a leaf, 4³ voxels. All code that reads or writes them is here.
//
//   word 0, 1   the mask: bit i is set where the voxel at cube_place(i) is filled, see base/morton.h
//   word 2…     only with materials: 4 bits for each filled voxel in the order of the mask's bits, the lowest
//               nibble first; what is left of the last word is zero
//
// A leaf has 2 words without materials and 3 to 10 with them. The rank of a filled voxel is the number of
// filled voxels with a lower bit.

inline constexpr uint32_t kLeafSide = 4;
inline constexpr uint32_t kLeafLog2 = 2;

// --- reading ---

VOX_HD inline uint64_t leaf_mask(const hash::ItemRef& leaf) {
  return leaf[0] | static_cast<uint64_t>(leaf[1]) << 32;
}

VOX_HD inline uint32_t leaf_words(uint64_t mask, bool materials) {
  return materials ? 2 + (static_cast<uint32_t>(popcount(mask)) + 7) / 8 : 2;
}

// Returns the words behind the mask.
VOX_HD inline const uint32_t* leaf_materials(const hash::ItemRef& leaf) {
  return leaf.tail() + 2;
}

// Returns the material of the voxel with this rank. `materials` are the words behind the mask.
VOX_HD inline uint32_t ranked_material(const uint32_t* materials, uint32_t rank) {
  return materials[rank / 8] >> rank % 8 * 4 & 15;
}

// Returns the material of the voxel with this bit, which must be filled.
VOX_HD inline uint32_t leaf_material(const hash::ItemRef& leaf, uint32_t bit) {
  const uint64_t lower = leaf_mask(leaf) & ((uint64_t{1} << bit) - 1);
  return ranked_material(leaf_materials(leaf), static_cast<uint32_t>(popcount(lower)));
}

// The word of eight voxels that have the same material.
VOX_HD inline uint32_t word_of_one_material(uint32_t material) {
  return material * 0x11111111u;
}

// Returns the material if the leaf is completely filled with one material, else -1.
VOX_HD inline int leaf_filling(const hash::ItemRef& leaf, bool materials) {
  if ((leaf[0] & leaf[1]) != UINT32_MAX) return -1;
  if (!materials) return 0;
  for (uint32_t i = 2; i < hash::kMaxItemWords; ++i)
    if (leaf[i] != word_of_one_material(leaf[2] & 15)) return -1;
  return static_cast<int>(leaf[2] & 15);
}

// Returns the bits behind the materials in the last word, which are zero in every correct leaf.
VOX_HD inline uint32_t leaf_padding(const hash::ItemRef& leaf) {
  const auto filled = static_cast<uint32_t>(popcount(leaf_mask(leaf)));
  return filled % 8 == 0 ? 0 : leaf_materials(leaf)[filled / 8] >> filled % 8 * 4;
}

// --- only the mask ---

// Returns a mask in which bit o is set if octant o of the leaf holds a voxel. The octant is a block of 2³
// voxels, byte o of the leaf's mask.
VOX_HD inline uint32_t filled_blocks(uint64_t mask) {
  mask |= mask >> 4;
  mask |= mask >> 2;
  mask |= mask >> 1;
  return static_cast<uint32_t>((mask & 0x0101010101010101) * 0x0102040810204080 >> 56);
}

// Returns the smallest box around the filled voxels, relative to the leaf's corner. The mask must not be 0.
// To find the layers along an axis that hold voxels, the mask's bits, z1 y1 x1 z0 y0 x0, are folded onto the
// bits of that axis.
VOX_HD inline VoxelBox leaf_bounds(uint64_t mask) {
  uint64_t x = mask | mask >> 32;  // z1
  x |= x >> 16;                    // y1
  uint64_t y = mask | mask >> 32;
  y |= y >> 8;  // x1
  uint64_t z = mask | mask >> 16;
  z |= z >> 8;
  x |= x >> 4;  // z0
  x |= x >> 2;  // y0
  y |= y >> 4;
  y |= y >> 1;  // x0
  z |= z >> 2;
  z |= z >> 1;
  const auto along_x = static_cast<uint32_t>((x & 3) | (x >> 6 & 12));
  const auto along_y = static_cast<uint32_t>((y & 1) | (y >> 1 & 2) | (y >> 14 & 4) | (y >> 15 & 8));
  const auto along_z = static_cast<uint32_t>((z & 1) | (z >> 3 & 2) | (z >> 30 & 4) | (z >> 33 & 8));
  return {{lowest_bit(along_x), lowest_bit(along_y), lowest_bit(along_z)},
          {highest_bit(along_x) + 1, highest_bit(along_y) + 1, highest_bit(along_z) + 1}};
}

// --- writing ---

VOX_HD inline void write_leaf_mask(uint32_t* leaf, uint64_t mask) {
  leaf[0] = static_cast<uint32_t>(mask);
  leaf[1] = static_cast<uint32_t>(mask >> 32);
}

// Writes a leaf whose filled voxels all have the same material.
VOX_HD inline void write_leaf_of_one_material(uint32_t* leaf, uint64_t mask, bool materials,
                                              uint32_t material) {
  write_leaf_mask(leaf, mask);
  const auto filled = static_cast<uint32_t>(popcount(mask));
  for (uint32_t rank = 0; materials && rank < filled; rank += 8) {
    const uint32_t left = filled - rank;
    leaf[2 + rank / 8] = word_of_one_material(material) & (left < 8 ? (1u << 4 * left) - 1 : UINT32_MAX);
  }
}

// Packs the materials of a leaf, in the order of the mask's bits. put() writes a word when it is full, and
// finish() writes the last one.
class LeafMaterialsWriter {
 public:
  VOX_HD explicit LeafMaterialsWriter(uint32_t* leaf) : words_(leaf + 2) {}

  VOX_HD void put(uint32_t material) {
    packed_ |= material << rank_ % 8 * 4;
    if (++rank_ % 8 != 0) return;
    words_[rank_ / 8 - 1] = packed_;
    packed_ = 0;
  }
  VOX_HD void finish() {
    if (rank_ % 8 != 0) words_[rank_ / 8] = packed_;
  }

 private:
  uint32_t* words_;
  uint32_t packed_ = 0, rank_ = 0;
};

// Builds a leaf from its filled voxels, which must come in the order of their bits.
class LeafWriter {
 public:
  VOX_HD LeafWriter(uint32_t* leaf, bool materials) : leaf_(leaf), materials_(materials), nibbles_(leaf) {}

  VOX_HD void put(uint32_t bit, uint32_t material) {
    mask_ |= uint64_t{1} << bit;
    if (materials_) nibbles_.put(material);
  }
  // Returns how many words the leaf has.
  VOX_HD uint32_t finish() {
    write_leaf_mask(leaf_, mask_);
    nibbles_.finish();
    return leaf_words(mask_, materials_);
  }
  VOX_HD uint64_t mask() const { return mask_; }

 private:
  uint32_t* leaf_;
  bool materials_;
  uint64_t mask_ = 0;
  LeafMaterialsWriter nibbles_;
};

enum class NodeKind { Leaf, Inner };

VOX_HD inline uint32_t child_mask(uint32_t header) {
  return header & 0xff;
}
VOX_HD inline bool is_homogeneous(uint32_t header) {
  return (header & 0x100) != 0;
}
VOX_HD inline uint32_t homogeneous_material(uint32_t header) {
  return header >> 9 & 15;
}
VOX_HD inline uint32_t homogeneous_header(uint32_t material) {
  return 0xff | 0x100 | material << 9;
}
VOX_HD inline uint32_t node_words(uint32_t header) {
  return 1 + static_cast<uint32_t>(popcount(child_mask(header)));
}
// Returns the index of the word that points to `child` (0–7), which must be present.
VOX_HD inline uint32_t child_word(uint32_t header, uint32_t child) {
  return 1 + static_cast<uint32_t>(popcount(header & ((1u << child) - 1)));
}
inline constexpr uint32_t kHeaderBits = 0x1fff;  // the other bits are reserved and zero

// Returns the number of words of a leaf or a node.
VOX_HD inline uint32_t words_of(const hash::ItemRef& item, NodeKind kind, bool materials) {
  return kind == NodeKind::Leaf ? leaf_words(leaf_mask(item), materials) : node_words(item[0]);
}

// Returns the material if a leaf or a node is completely filled with one material, else -1.
VOX_HD inline int homogeneous_content(const hash::ItemRef& item, NodeKind kind, bool materials) {
  if (kind == NodeKind::Leaf) return leaf_filling(item, materials);
  return is_homogeneous(item[0]) ? static_cast<int>(homogeneous_material(item[0])) : -1;
}

// The facts about a node's voxels that its parent needs, to check that headers are canonical and that no
// voxel lies outside the grid.
struct NodeContent {
  Vec3<uint32_t> reach = {0, 0, 0};  // 1 + largest x, y, z of a filled voxel within the node
  int32_t material = -1;             // the material if the node is full and has only one, else -1
};
static_assert(sizeof(NodeContent) == 16);

// The leaf must have voxels.
VOX_HD inline NodeContent leaf_content(const uint32_t* leaf, bool materials) {
  const Int3 end = leaf_bounds(leaf_mask(leaf)).max;
  return {{static_cast<uint32_t>(end.x), static_cast<uint32_t>(end.y), static_cast<uint32_t>(end.z)},
          leaf_filling(leaf, materials)};
}

// child_content(i) returns the content of the i-th present child. The node must have a child.
template <class ChildContent>
VOX_HD NodeContent node_content(uint32_t header, uint32_t child_side, const ChildContent& child_content) {
  NodeContent content;
  uint32_t i = 0;
  for (uint32_t child = 0; child < 8; ++child) {
    if ((header >> child & 1) == 0) continue;
    const NodeContent below = child_content(i);
    const Int3 corner = octant_corner(child, static_cast<int32_t>(child_side));
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const uint32_t reach = static_cast<uint32_t>(corner[axis]) + below.reach[axis];
      if (reach > content.reach[axis]) content.reach[axis] = reach;
    }
    content.material = i == 0 || content.material == below.material ? below.material : -1;
    ++i;
  }
  if (child_mask(header) != 0xff) content.material = -1;
  return content;
}

// Returns the canonical header of a node with these children and this content.
VOX_HD inline uint32_t canonical_header(uint32_t children, const NodeContent& content) {
  return content.material < 0 ? children : homogeneous_header(static_cast<uint32_t>(content.material));
}

}  // namespace vox::dag
