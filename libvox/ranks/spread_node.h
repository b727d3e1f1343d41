// The words of a node whose children lie in the stores of several ranks. Ranks send nodes to each other in
// this form, and owners keep them in it. Leaves have their usual words.
//
//   word 0   the header (dag/node.h); bits 13–28, which are zero elsewhere, hold the lowest of 48 bits that say which
//            rank owns each child, 6 bits a child, those of the first child lowest
//   word 1…  for each present child a pointer into its owner's store
//   last     the upper 32 of the 48 bits
//
// A node therefore has one word more than its usual form, and at most as many as the largest leaf.
#pragma once

#include "libvox/dag/node.h"

namespace vox::ranks {

inline constexpr uint32_t kRankBits = 6, kMostRanks = 1 << kRankBits;
inline constexpr uint32_t kOwnersShift = 13, kOwnersBits = 16;  // the part in the header

// A node's id: the rank that owns it, and its pointer in that rank's store.
VOX_HD inline uint64_t node_id(uint32_t owner, uint32_t pointer) {
  return uint64_t{owner} << 32 | pointer;
}
VOX_HD inline uint32_t id_owner(uint64_t id) {
  return static_cast<uint32_t>(id >> 32);
}
VOX_HD inline uint32_t id_pointer(uint64_t id) {
  return static_cast<uint32_t>(id);
}

VOX_HD inline uint32_t spread_words(uint32_t header) {
  return dag::node_words(header) + 1;
}
VOX_HD inline uint32_t plain_header(uint32_t header) {
  return header & dag::kHeaderBits;
}

// Writes a node's words. child_id(i) returns the id of the i-th present child.
template <class ChildId>
VOX_HD void write_spread_node(uint32_t* words, uint32_t header, const ChildId& child_id) {
  const uint32_t children = dag::node_words(header) - 1;
  uint64_t owners = 0;
  for (uint32_t i = 0; i < children; ++i) {
    const uint64_t id = child_id(i);
    words[1 + i] = id_pointer(id);
    owners |= uint64_t{id_owner(id)} << kRankBits * i;
  }
  words[0] = header | static_cast<uint32_t>(owners & ((1 << kOwnersBits) - 1)) << kOwnersShift;
  words[1 + children] = static_cast<uint32_t>(owners >> kOwnersBits);
}

// The owners of a node's children, 6 bits each.
VOX_HD inline uint64_t child_owners(const uint32_t* words) {
  const uint32_t low = words[0] >> kOwnersShift & ((1 << kOwnersBits) - 1);
  return low | uint64_t{words[dag::node_words(words[0])]} << kOwnersBits;
}
VOX_HD inline uint32_t child_owner(uint64_t owners, uint32_t i) {
  return static_cast<uint32_t>(owners >> kRankBits * i) & (kMostRanks - 1);
}

// The number of words of an item in this form.
VOX_HD inline uint32_t spread_item_words(const hash::ItemRef& item, dag::NodeKind kind, bool materials) {
  return kind == dag::NodeKind::Leaf ? dag::leaf_words(dag::leaf_mask(item), materials)
                                     : spread_words(item[0]);
}

}  // namespace vox::ranks
