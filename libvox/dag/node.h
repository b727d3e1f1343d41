// The words of inner nodes (docs/formats.md, "The scene file"). All code that knows their layout is here. The
// words of leaves are in leaf.h.
//
//   word 0   header: bits 0–7 child mask, bit 8 homogeneous, bits 9–12 its material, the rest 0. A node is
//            homogeneous where all of its region is filled with one material.
//   word 1…  one 32-bit pointer for each present child, in the order of octants, see base/cube_order.h
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/dag/leaf.h"
#include "libvox/hash/item.h"

namespace vox::dag {

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

}  // namespace vox::dag
