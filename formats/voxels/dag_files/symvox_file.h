// The files of SymVox (Jaspe Villanueva et al. 2016, "SSVDAGs: Symmetry-aware Sparse Voxel DAGs"): what the
// reader and the writer share. All words are little-endian.
//
//   f32 × 6 bounding box, f32 side of the root, u32 levels, u32 nodes, u32 first word of the last level, u32 n, n words
//
// The root's cube has the same centre as the box. A node is a word whose bits 0–7 are the slots of its
// children, followed by the word at which each child begins, the highest slot first. A node of the last level
// is only the mask of 2³ voxels. In a .ussvdag file a child is mirrored before it is put in its place: along
// x if bit 8 + slot is set, along y if bit 16 + slot is, along z if bit 24 + slot is.
#pragma once

#include <bit>
#include <cstdint>

namespace vox {

static_assert(std::endian::native == std::endian::little, "words are copied from and to files of SymVox");

inline constexpr uint32_t kSymVoxMirrors = 8;  // the number of ways to mirror a node, including not at all

struct SymVoxHeader {
  float min[3], max[3];  // 24 B
  float root_side;       //  4 B
  uint32_t levels;       //  4 B
  uint32_t nodes;        //  4 B
  uint32_t first_leaf;   //  4 B
  uint32_t words;        //  4 B
};
static_assert(sizeof(SymVoxHeader) == 44);

enum class SymVoxKind { Plain, Mirrored };  // .svdag, .ussvdag

// The mirrored axes are a mask like a slot: 4 for x, 2 for y, 1 for z. A mirrored node has in slot s ^
// mirrors what was in slot s. mirror_bits() returns the bits of a node's word that mirror the child in
// `slot`; mirrors_of() is its inverse.
inline uint32_t mirror_bits(uint32_t mirrors, uint32_t slot) {
  return ((mirrors >> 2 & 1) << 8 | (mirrors >> 1 & 1) << 16 | (mirrors & 1) << 24) << slot;
}
inline uint32_t mirrors_of(uint32_t word, uint32_t slot) {
  const uint32_t bits = word >> slot;
  return (bits >> 8 & 1) << 2 | (bits >> 16 & 1) << 1 | (bits >> 24 & 1);
}

}  // namespace vox
