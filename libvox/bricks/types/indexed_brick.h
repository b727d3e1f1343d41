// The masks of a brick's filled voxels, in two levels. Types that keep only these voxels use them to find a voxel's
// place:
//
//   1 bit   each block of 4³ voxels in Morton order: 1 if any of its voxels is filled; in whole words. Absent
//           in a brick of 4³, which has one block
//   2 B     each of these words, if there are several (4 B in bricks of 256³ and more): the filled blocks before it
//   2 B     each filled block (4 B in bricks of 64³ and more): the filled voxels before it; padded to a word.
//           Absent in a brick of 4³
//   8 B     each filled block: a bit for each voxel, in Morton order
#pragma once

#include "libvox/bricks/brick.h"

namespace vox::bricks {

struct BlockMasks {
  // A block of 4³ voxels: the mask of its filled voxels, and the number of filled voxels before it.
  struct Block {
    uint64_t mask = 0;    // 8 B
    uint32_t before = 0;  // 4 B

    VOX_HD bool is_filled(uint32_t code) const { return (mask >> (code & 63) & 1) != 0; }
    // Returns the place of a filled voxel among those of the brick.
    VOX_HD uint32_t place(uint32_t code) const {
      return before + static_cast<uint32_t>(popcount(mask & ((uint64_t{1} << (code & 63)) - 1)));
    }
  };

  // Returns the size of all masks in bytes if this many blocks are filled.
  VOX_HD static uint32_t bytes(BrickShape shape, uint32_t stored) {
    return masks_at(shape, stored) + 8 * stored;
  }

  VOX_HD static uint32_t stored_blocks(const BrickCounts& counts, BrickShape shape) {
    return shape.log2_side == kMinBrickLog2 ? 1 : counts.blocks;
  }

  // Returns the number of filled blocks of a brick.
  VOX_HD static uint32_t stored(const uint32_t* brick, BrickShape shape) {
    return top_words(shape) == 0 ? 1 : blocks_before(brick, shape, top_words(shape) - 1, 32);
  }

  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts& counts, BrickShape shape,
                           uint32_t* to) {
    uint32_t* masks = array_at<uint32_t>(to, masks_at(shape, stored_blocks(counts, shape)));
    uint32_t blocks = 0, voxels = 0;
    for (uint32_t block = 0; block < shape.blocks(); ++block) {
      if (block % 32 == 0 && top_words(shape) > 1) put_top_rank(to, shape, block / 32, blocks);
      const uint64_t mask = from.masks[block];
      if (mask == 0) continue;
      if (top_words(shape) > 0) {
        to[block / 32] |= 1u << block % 32;
        put_count(to, shape, ranks_at(shape), blocks, voxels);
      }
      masks[2 * blocks] = static_cast<uint32_t>(mask);
      masks[2 * blocks + 1] = static_cast<uint32_t>(mask >> 32);
      ++blocks;
      voxels += static_cast<uint32_t>(popcount(mask));
    }
  }

  // Returns the block of the voxel with this code.
  VOX_HD static Block block_at(const uint32_t* brick, BrickShape shape, uint32_t code) {
    if (top_words(shape) == 0) return {mask_at(brick, shape, 1, 0), 0};
    const uint32_t word = code >> 11, bit = code >> 6 & 31;
    if ((brick[word] >> bit & 1) == 0) return {};
    const uint32_t block = blocks_before(brick, shape, word, bit);
    return {mask_at(brick, shape, stored(brick, shape), block), rank(brick, shape, block)};
  }

  // --- access, for types that have a value for each filled voxel ---
  //
  // value(place) returns the value of the filled voxel with this place among those of the brick.

  template <class T, class Value>
  VOX_HD static T get(const uint32_t* masks, BrickShape shape, Int3 v, const Value& value) {
    const uint32_t code = brick_code(v, shape);
    return read<T>(block_at(masks, shape, code), code, value);
  }

  template <class T, class Value>
  VOX_HD static void neighbors(const uint32_t* masks, BrickShape shape, Int3 at, uint32_t count, T* row,
                               const Value& value) {
    for (uint32_t i = 0; i < count;) {
      const uint32_t code = brick_code(at, shape), of_block = 4 - (static_cast<uint32_t>(at.x) & 3);
      const uint32_t n = of_block < count - i ? of_block : count - i;
      const Block block = block_at(masks, shape, code);
      const bool is_empty = (block.mask >> (code & kRowBegin) & kRowBits) == 0;
      const uint32_t rest = code & ~kAlongX;
      for (uint32_t k = 0, x = code; k < n; ++k, x = next_along_x(x))
        row[i + k] = is_empty ? T{0} : read<T>(block, (x & kAlongX) | rest, value);
      at.x += static_cast<int32_t>(n);
      i += n;
    }
  }

  // Reads a cube of 2³ voxels. Looks at each block of the cube's voxels once.
  template <class T, class Value>
  VOX_HD static void cube(const uint32_t* masks, BrickShape shape, Int3 at, T* words, const Value& value) {
    const uint32_t low = brick_code(at, shape), high = brick_code(at + Int3{1, 1, 1}, shape);
    const bool next_x = at.x % 4 == 3, next_y = at.y % 4 == 3, next_z = at.z % 4 == 3;  // begins a block
    // Returns the code of a row of two voxels along x, given the bits of y and z from one of the two corners.
    const auto code = [=](uint32_t yz) { return (low & kAlongX) | yz; };
    const auto next = [=](uint32_t yz) { return (high & kAlongX) | yz; };
    const auto find = [=](uint32_t yz) {
      const Block block = block_at(masks, shape, code(yz));
      return Row{block, next_x ? block_at(masks, shape, next(yz)) : block};
    };
    const auto put = [=](const Row& row, uint32_t yz, T* to) {
      to[0] = read<T>(row.low, code(yz), value);
      to[1] = read<T>(row.high, next(yz), value);
    };
    constexpr uint32_t kAlongY = kAlongX << 1, kAlongZ = kAlongX << 2;
    const uint32_t yz[4] = {low & (kAlongY | kAlongZ), (high & kAlongY) | (low & kAlongZ),
                            (low & kAlongY) | (high & kAlongZ), high & (kAlongY | kAlongZ)};
    const Row first = find(yz[0]), above = next_y ? find(yz[1]) : first,
              behind = next_z ? find(yz[2]) : first;
    put(first, yz[0], words);
    put(above, yz[1], words + 2);
    put(behind, yz[2], words + 4);
    put(next_y && next_z ? find(yz[3]) : next_y ? above : behind, yz[3], words + 6);
  }

  // Checks that the stored counts agree with the masks, so that access stays inside `bytes_there` bytes. Returns the
  // number of filled voxels, or kNever if the counts are wrong.
  static uint32_t checked_voxels(const uint32_t* brick, uint64_t bytes_there, BrickShape shape) {
    if (bytes_there < ranks_at(shape)) return kNever;
    uint32_t stored = 1;
    if (top_words(shape) > 0) {
      stored = 0;
      for (uint32_t word = 0; word < top_words(shape); ++word) {
        if (blocks_before(brick, shape, word, 0) != stored) return kNever;
        stored += static_cast<uint32_t>(popcount(brick[word]));
      }
      if (stored > shape.blocks()) return kNever;
    }
    if (bytes_there < bytes(shape, stored)) return kNever;
    uint32_t voxels = 0;
    for (uint32_t block = 0; block < stored; ++block) {
      if (top_words(shape) > 0 && rank(brick, shape, block) != voxels) return kNever;
      voxels += static_cast<uint32_t>(popcount(mask_at(brick, shape, stored, block)));
    }
    return voxels;
  }

 private:
  // The four voxels of a block with the same y and z: the bits of y and z in a Morton code, and the bits of the
  // row that begins at code 0.
  static constexpr uint32_t kRowBegin = 0x36, kRowBits = 0x303;
  static constexpr uint32_t kAlongX = 0x09249249;  // the bits of a Morton code that belong to x

  // Returns the bits of x of the code of the voxel above this one along x.
  VOX_HD static uint32_t next_along_x(uint32_t code) { return ((code | ~kAlongX) + 1) & kAlongX; }

  // The blocks of two neighboring voxels along x.
  struct Row {
    Block low, high;
  };

  // Returns the word of a voxel of this block. It reads no value if the voxel is empty.
  template <class T, class Value>
  VOX_HD static T read(const Block& block, uint32_t code, const Value& value) {
    return block.is_filled(code) ? value(block.place(code)) : T{0};
  }

  VOX_HD static uint32_t top_words(BrickShape shape) {
    return shape.log2_side == kMinBrickLog2 ? 0 : (shape.blocks() + 31) / 32;
  }
  VOX_HD static uint32_t rank_bytes(BrickShape shape) {
    return shape.log2_side == kMinBrickLog2 ? 0 : count_bytes(shape);
  }
  VOX_HD static uint32_t top_rank_bytes(BrickShape shape) { return shape.log2_side <= 7 ? 2 : 4; }

  VOX_HD static uint32_t top_ranks_at(BrickShape shape) { return 4 * top_words(shape); }
  VOX_HD static uint32_t ranks_at(BrickShape shape) {
    return top_ranks_at(shape) + (top_words(shape) > 1 ? top_rank_bytes(shape) * top_words(shape) : 0);
  }
  VOX_HD static uint32_t masks_at(BrickShape shape, uint32_t stored) {
    return round_up(ranks_at(shape) + stored * rank_bytes(shape), sizeof(uint32_t));
  }

  VOX_HD static void put_top_rank(uint32_t* brick, BrickShape shape, uint32_t word, uint32_t blocks) {
    if (top_rank_bytes(shape) == 2) {
      array_at<uint16_t>(brick, top_ranks_at(shape))[word] = static_cast<uint16_t>(blocks);
    } else {
      array_at<uint32_t>(brick, top_ranks_at(shape))[word] = blocks;
    }
  }

  // Returns how many filled blocks come before this bit of this word.
  VOX_HD static uint32_t blocks_before(const uint32_t* brick, BrickShape shape, uint32_t word, uint32_t bit) {
    const uint32_t below = bit == 32 ? UINT32_MAX : (1u << bit) - 1;
    uint32_t before = 0;
    if (top_words(shape) > 1)
      before = top_rank_bytes(shape) == 2 ? array_at<uint16_t>(brick, top_ranks_at(shape))[word]
                                          : array_at<uint32_t>(brick, top_ranks_at(shape))[word];
    return before + static_cast<uint32_t>(popcount(brick[word] & below));
  }

  VOX_HD static uint32_t rank(const uint32_t* brick, BrickShape shape, uint32_t block) {
    return top_words(shape) == 0 ? 0 : count_at(brick, shape, ranks_at(shape), block);
  }

  VOX_HD static uint64_t mask_at(const uint32_t* brick, BrickShape shape, uint32_t stored, uint32_t block) {
    const uint32_t* masks = array_at<uint32_t>(brick, masks_at(shape, stored)) + 2 * block;
    return masks[0] | uint64_t{masks[1]} << 32;
  }
};

// An indexed brick: masks of the filled voxels, a list of the few values that these have, and for each of
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
