// The words of leaves and inner nodes (DESIGN §4): the one place that knows them.
//
//   leaf         word 0, 1: mask of 4³ voxels; bit i is the voxel with Morton index i (x lowest)
//                word 2…  : 4 bits per filled voxel in mask-bit order, low nibble first (absent without
//                materials)
//   inner node   word 0   : bits 0–7 child mask, bit 8 homogeneous, bits 9–12 its material, rest 0
//                word 1…  : one 32-bit pointer per present child, in Morton order
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/hash/item.h"

namespace vox {

inline constexpr uint32_t kLeafSide = 4;
inline constexpr uint32_t kLeafLog2 = 2;

enum class NodeKind { Leaf, Inner };

VOX_HD inline uint64_t leaf_mask(const ItemRef& leaf) {
  return leaf[0] | static_cast<uint64_t>(leaf[1]) << 32;
}

VOX_HD inline uint32_t leaf_words(uint64_t mask, bool materials) {
  return materials ? 2 + (static_cast<uint32_t>(popcount(mask)) + 7) / 8 : 2;
}

// Material of the voxel with Morton index `bit`, which must be filled.
VOX_HD inline uint32_t leaf_material(const ItemRef& leaf, uint32_t bit) {
  uint64_t mask = leaf_mask(leaf);
  uint32_t rank = static_cast<uint32_t>(popcount(mask & ((uint64_t{1} << bit) - 1)));
  return leaf[2 + rank / 8] >> rank % 8 * 4 & 15;
}

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
// Index of the word that points to `child` (0–7), which must be present.
VOX_HD inline uint32_t child_word(uint32_t header, uint32_t child) {
  return 1 + static_cast<uint32_t>(popcount(header & ((1u << child) - 1)));
}
inline constexpr uint32_t kHeaderBits = 0x1fff;  // the others are reserved and zero

// Material if the item is completely filled with one, else -1.
VOX_HD inline int homogeneous_content(const ItemRef& item, NodeKind kind, bool materials) {
  if (kind == NodeKind::Inner)
    return is_homogeneous(item[0]) ? static_cast<int>(homogeneous_material(item[0])) : -1;
  if ((item[0] & item[1]) != UINT32_MAX) return -1;
  if (!materials) return 0;
  for (uint32_t i = 2; i < kMaxItemWords; ++i)
    if (item[i] != (item[2] & 15) * 0x11111111u) return -1;
  return static_cast<int>(item[2] & 15);
}

}  // namespace vox
