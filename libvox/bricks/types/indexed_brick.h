// An indexed brick: masks of the filled voxels (block_masks.h), a list of the few values that these have, and for each of
// them an index into the list, with as many bits as needed:
//
//   …          the masks
//   one value  the number of values of the list less one, then each of the list, ascending; padded to a word
//   k bits     each filled voxel in Morton order: its value's place in the list; 2^k is at least the number of values. Low
//              bits come first, across the borders of words
#pragma once

#include "libvox/bricks/brick.h"
#include "libvox/bricks/types/block_masks.h"

namespace vox::bricks {

struct IndexedBrick {
  static constexpr const char* kName = "indexed";
  static constexpr bool kHoldsAll = false;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts& counts, BrickShape shape) {
    if (counts.values > kMaxPalette || counts.voxels == 0) return kNever;
    const uint32_t listed = listed_values(counts, shape);
    const uint64_t bits = uint64_t{counts.voxels} * index_bits(listed);
    return list_at(counts, shape) + list_bytes<T>(listed) + 4 * static_cast<uint32_t>((bits + 31) / 32);
  }

  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts& counts, BrickShape shape,
                           uint32_t* to) {
    BlockMasks::build(from, counts, shape, to);
    T* list = array_at<T>(to, list_at(counts, shape));
    if (listed_values(counts, shape) == 1) {
      list[1] = first_word(from, shape);
      return;
    }
    ValueSet<T> set;
    from.each(shape, [&](uint32_t, T word) { set.add(word); });
    list[0] = static_cast<T>(set.size() - 1);
    set.copy_to(list + 1);
    uint32_t* indices = array_at<uint32_t>(to, list_at(counts, shape) + list_bytes<T>(set.size()));
    const uint32_t each = index_bits(set.size());
    uint64_t gathered = 0;
    uint32_t bits = 0;
    from.each(shape, [&](uint32_t, T word) {
      gathered |= uint64_t{set.index_of(word)} << bits;
      bits += each;
      if (bits < 32) return;
      *indices++ = static_cast<uint32_t>(gathered);
      gathered >>= 32;
      bits -= 32;
    });
    if (bits > 0) *indices = static_cast<uint32_t>(gathered);
  }

  template <class T>
  VOX_HD static T get(const uint32_t* brick, BrickShape shape, Int3 v) {
    const uint32_t code = brick_code(v);
    const BlockMasks::Block block = BlockMasks::block_at(brick, shape, code);
    if (!block.is_filled(code)) return 0;
    const T* list = array_at<T>(brick, BlockMasks::bytes(shape, BlockMasks::stored(brick, shape)));
    return list[1 + index_at(list, block.place(code))];
  }

  template <class T>
  VOX_HD static void neighbours(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    neighbours_one_by_one<IndexedBrick>(brick, shape, at, count, row);
  }
  template <class T>
  VOX_HD static void cube(const uint32_t* brick, BrickShape shape, Int3 at, T* words) {
    cube_by_rows<IndexedBrick>(brick, shape, at, words);
  }

  template <class T>
  static bool fits(const uint32_t* brick, uint64_t words, BrickShape shape) {
    const uint64_t bytes = words * sizeof(uint32_t);
    const uint32_t voxels = BlockMasks::checked_voxels(brick, bytes, shape);
    if (voxels == kNever) return false;
    const uint32_t at = BlockMasks::bytes(shape, BlockMasks::stored(brick, shape));
    if (bytes < at + sizeof(uint32_t)) return false;
    const T* list = array_at<T>(brick, at);
    if (list[0] >= kMaxPalette) return false;
    const uint32_t listed = uint32_t{list[0]} + 1;
    const uint64_t index_words = (uint64_t{voxels} * index_bits(listed) + 31) / 32;
    if (bytes < at + list_bytes<T>(listed) + 4 * index_words) return false;
    for (uint32_t i = 0; i < voxels; ++i)
      if (index_at(list, i) >= listed) return false;
    return true;
  }

 private:
  // Returns the number of different values of the filled voxels.
  VOX_HD static uint32_t listed_values(const BrickCounts& counts, BrickShape shape) {
    return counts.values - (counts.voxels < shape.voxels() ? 1 : 0);
  }
  template <class T>
  VOX_HD static T first_word(const BrickVoxels<T>& from, BrickShape shape) {
    for (uint32_t block = 0; block < shape.blocks(); ++block)
      if (from.masks[block] != 0)
        return from.words[block << 6 | static_cast<uint32_t>(lowest_bit(from.masks[block]))];
    return 0;
  }
  VOX_HD static uint32_t index_bits(uint32_t values) {
    return values <= 1 ? 0 : static_cast<uint32_t>(highest_bit(values - 1)) + 1;
  }
  VOX_HD static uint32_t list_at(const BrickCounts& counts, BrickShape shape) {
    return BlockMasks::bytes(shape, BlockMasks::stored_blocks(counts, shape));
  }
  template <class T>
  VOX_HD static uint32_t list_bytes(uint32_t values) {
    return round_up((1 + values) * static_cast<uint32_t>(sizeof(T)), sizeof(uint32_t));
  }

  template <class T>
  VOX_HD static uint32_t index_at(const T* list, uint32_t i) {
    const uint32_t listed = uint32_t{list[0]} + 1, each = index_bits(listed);
    if (each == 0) return 0;
    const uint32_t* indices =
        array_at<uint32_t>(reinterpret_cast<const uint32_t*>(list), list_bytes<T>(listed));
    const uint64_t bit = uint64_t{i} * each;
    const auto shift = static_cast<uint32_t>(bit % 32);
    uint32_t index = indices[bit / 32] >> shift;
    if (shift + each > 32) index |= indices[bit / 32 + 1] << (32 - shift);
    return index & ((1u << each) - 1);
  }
};

}  // namespace vox::bricks
