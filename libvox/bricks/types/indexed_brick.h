// An indexed brick: masks of the filled voxels (block_masks.h), a list of the few values that these have, and for each of
// them an index into the list, with as many bits as needed:
//
//   4 B     the number of values of the list less one, as one value, and as many of the list as fit into this word
//   …       the masks
//   values  the others of the list, which ascends; padded to a word
//   k bits  each filled voxel in Morton order: its value's place in the list; 2^k is at least the number of values. Low
//           bits come first, across the borders of words
//
// So a brick of one value needs only the first word in addition to its masks, and reads both together. A brick never
// has this type if its indices would take more than half of the values' bits: it would be read more slowly, and hardly
// be smaller.
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
    if (index_bits(listed) > 4 * sizeof(T)) return kNever;
    return list_at(counts, shape) + list_bytes<T>(listed) +
           4 * static_cast<uint32_t>(index_words(counts.voxels, listed));
  }

  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts& counts, BrickShape shape,
                           uint32_t* to) {
    BlockMasks::build(from, counts, shape, to + 1);
    T *first = array_at<T>(to, 0), *list = array_at<T>(to, list_at(counts, shape));
    if (listed_values(counts, shape) == 1) {
      put_listed(first, list, 0, first_word(from, shape));
      return;
    }
    ValueSet<T> set;
    from.each(shape, [&](uint32_t, T word) { set.add(word); });
    first[0] = static_cast<T>(set.size() - 1);
    uint32_t listed = 0;
    set.each([&](T value) { put_listed(first, list, listed++, value); });
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
    return BlockMasks::get<T>(brick + 1, shape, v, values<T>(brick, shape));
  }
  template <class T>
  VOX_HD static void neighbors(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    BlockMasks::neighbors(brick + 1, shape, at, count, row, values<T>(brick, shape));
  }
  template <class T>
  VOX_HD static void cube(const uint32_t* brick, BrickShape shape, Int3 at, T* words) {
    BlockMasks::cube(brick + 1, shape, at, words, values<T>(brick, shape));
  }

  template <class T>
  static bool fits(const uint32_t* brick, uint64_t words, BrickShape shape) {
    if (words < 1) return false;
    const uint64_t bytes = (words - 1) * sizeof(uint32_t);
    const uint32_t voxels = BlockMasks::checked_voxels(brick + 1, bytes, shape);
    const uint32_t listed = uint32_t{array_at<T>(brick, 0)[0]} + 1;
    if (voxels == kNever || listed == 0 || listed > kMaxPalette) return false;
    const uint64_t masks = BlockMasks::bytes(shape, BlockMasks::stored(brick + 1, shape));
    if (bytes < masks + list_bytes<T>(listed) + 4 * index_words(voxels, listed)) return false;
    const Values<T> all = values<T>(brick, shape);
    for (uint32_t i = 0; i < voxels; ++i)
      if (all.index(i) >= listed) return false;
    return true;
  }

 private:
  // The values of the list that fit into the first word.
  template <class T>
  static constexpr uint32_t kInFirst = sizeof(uint32_t) / sizeof(T) - 1;

  // The values of the filled voxels.
  template <class T>
  struct Values {
    uint32_t first;        // the first word
    const uint32_t* rest;  // the rest of the list, then the indices

    VOX_HD uint32_t index(uint32_t place) const {
      const uint32_t listed = uint32_t{in_first(0)} + 1, each = index_bits(listed);
      if (each == 0) return 0;
      const uint32_t* indices = rest + list_bytes<T>(listed) / sizeof(uint32_t);
      const uint32_t bit = place * each, shift = bit % 32;  // below 2^30
      uint32_t index = indices[bit / 32] >> shift;
      if (shift + each > 32) index |= indices[bit / 32 + 1] << (32 - shift);
      return index & ((1u << each) - 1);
    }
    VOX_HD T operator()(uint32_t place) const {
      const uint32_t i = index(place);
      if constexpr (kInFirst<T> != 0) {
        if (i < kInFirst<T>) return in_first(1 + i);
      }
      return array_at<T>(rest, 0)[i - kInFirst<T>];
    }

   private:
    VOX_HD T in_first(uint32_t i) const { return static_cast<T>(first >> 8 * sizeof(T) * i); }
  };
  template <class T>
  VOX_HD static Values<T> values(const uint32_t* brick, BrickShape shape) {
    const uint32_t masks = BlockMasks::bytes(shape, BlockMasks::stored(brick + 1, shape));
    return {brick[0], brick + 1 + masks / sizeof(uint32_t)};
  }

  // Writes the i-th value of the list.
  template <class T>
  VOX_HD static void put_listed(T* first, T* rest, uint32_t i, T value) {
    if constexpr (kInFirst<T> != 0) {
      if (i < kInFirst<T>) {
        first[1 + i] = value;
        return;
      }
    }
    rest[i - kInFirst<T>] = value;
  }

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
  VOX_HD static uint64_t index_words(uint32_t voxels, uint32_t listed) {
    return (uint64_t{voxels} * index_bits(listed) + 31) / 32;
  }
  // Returns the byte at which the list's other values begin.
  VOX_HD static uint32_t list_at(const BrickCounts& counts, BrickShape shape) {
    return static_cast<uint32_t>(sizeof(uint32_t)) +
           BlockMasks::bytes(shape, BlockMasks::stored_blocks(counts, shape));
  }
  // Returns the size of those values in bytes.
  template <class T>
  VOX_HD static uint32_t list_bytes(uint32_t listed) {
    const uint32_t others = listed > kInFirst<T> ? listed - kInFirst<T> : 0;
    return round_up(others * static_cast<uint32_t>(sizeof(T)), sizeof(uint32_t));
  }
};

}  // namespace vox::bricks
