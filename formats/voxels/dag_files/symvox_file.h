// The files of SymVox (Jaspe Villanueva et al. 2016, "SSVDAGs: Symmetry-aware Sparse Voxel DAGs"): what reader and
// writer both know of them. All words are little-endian.
//
//   f32 × 6 bounding box, f32 side of the root, u32 levels, u32 nodes, u32 first word of the last level, u32 n, n words
//
// The root's cube has its middle in that of the box. A node is a word whose bits 0–7 are the slots of its children,
// and then for each child the word at which it begins, the highest slot first; a node of the last level is the
// mask of 2³ voxels alone. In a .ussvdag file a child is mirrored before it is put in its place: along x where bit
// 8 + slot is set, along y where bit 16 + slot is, along z where bit 24 + slot is.
#pragma once

#include <bit>
#include <cstdint>

namespace vox {

static_assert(std::endian::native == std::endian::little, "words are copied from and to files of SymVox");

inline constexpr uint32_t kSymVoxMirrors = 8;  // ways to mirror a node, one of which leaves it as it is

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

// Mirrors are a mask as slots are: 4 along x, 2 along y, 1 along z. Mirrored, what was in slot s is in s ^ mirrors.
// The bits of a node's word that mirror the child in `slot`:
inline uint32_t mirror_bits(uint32_t mirrors, uint32_t slot) {
  return ((mirrors >> 2 & 1) << 8 | (mirrors >> 1 & 1) << 16 | (mirrors & 1) << 24) << slot;
}
inline uint32_t mirrors_of(uint32_t word, uint32_t slot) {
  const uint32_t bits = word >> slot;
  return (bits >> 8 & 1) << 2 | (bits >> 16 & 1) << 1 | (bits >> 24 & 1);
}

}  // namespace vox
