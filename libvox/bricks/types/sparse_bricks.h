// Bricks that keep the voxels that are not empty: in a list, a hash table, or below masks.
#pragma once

#include "libvox/bricks/brick.h"

namespace vox::bricks {

// A list brick: the voxels that are not empty, in Morton order, found by binary search (Labschütz, §3.1.3):
//
//   4 B            number of voxels
//   1, 2 or 3 B    each: its Morton code in the brick, in bricks of 4³, up to 32³, and 64³; low byte first
//   one value      each voxel
//
// In the thesis, codes have six bytes, because they are Morton codes in the volume.

struct ListBrick {
  static constexpr const char* kName = "list";
  static constexpr bool kHoldsAll = true;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts& counts, BrickShape shape) {
    return round_up(values_at<T>(counts.voxels, shape) + counts.voxels * static_cast<uint32_t>(sizeof(T)),
                    sizeof(uint32_t));
  }

  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts& counts, BrickShape shape,
                           uint32_t* to) {
    to[0] = counts.voxels;
    uint8_t* codes = array_at<uint8_t>(to, sizeof(uint32_t));
    T* values = array_at<T>(to, values_at<T>(counts.voxels, shape));
    const uint32_t each = code_bytes(shape);
    from.each(shape, [&](uint32_t code, T word) {
      for (uint32_t byte = 0; byte < each; ++byte) *codes++ = static_cast<uint8_t>(code >> 8 * byte);
      *values++ = word;
    });
  }

  template <class T>
  VOX_HD static T get(const uint32_t* brick, BrickShape shape, Int3 v) {
    const uint32_t code = brick_code(v), count = brick[0];
    const uint32_t place = first_not_less(count, code, [&](uint32_t i) { return code_at(brick, shape, i); });
    if (place == count || code_at(brick, shape, place) != code) return 0;
    return array_at<T>(brick, values_at<T>(count, shape))[place];
  }

  template <class T>
  VOX_HD static void neighbours(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    neighbours_one_by_one<ListBrick>(brick, shape, at, count, row);
  }
  template <class T>
  VOX_HD static void cube(const uint32_t* brick, BrickShape shape, Int3 at, T* words) {
    cube_by_rows<ListBrick>(brick, shape, at, words);
  }

  template <class T>
  static bool fits(const uint32_t* brick, uint64_t words, BrickShape shape) {
    return words >= 1 && brick[0] <= shape.voxels() &&
           words * sizeof(uint32_t) >= bytes<T>({.voxels = brick[0]}, shape);
  }

 private:
  VOX_HD static uint32_t code_bytes(BrickShape shape) { return (shape.code_bits() + 7) / 8; }

  template <class T>
  VOX_HD static uint32_t values_at(uint32_t count, BrickShape shape) {
    return round_up(static_cast<uint32_t>(sizeof(uint32_t)) + count * code_bytes(shape), sizeof(T));
  }

  VOX_HD static uint32_t code_at(const uint32_t* brick, BrickShape shape, uint32_t i) {
    const uint32_t each = code_bytes(shape);
    const uint8_t* bytes = array_at<uint8_t>(brick, sizeof(uint32_t)) + i * each;
    if (each == 1) return bytes[0];
    if (each == 2) return *reinterpret_cast<const uint16_t*>(bytes);
    return bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16;
  }
};

// A hash brick: the voxels that are not empty, in buckets of a hash table. The hash is a permutation of the
// Morton codes, so that an entry needs only the part of its code's hash that does not follow from its bucket
// ("quotienting", Knuth, TAOCP 3, §6.4, exercise 13; Cleary 1984): one byte instead of a code. No slot is
// free.
//
//   4 B           q: there are 2^q buckets, about one for each four voxels
//   2 B           each bucket (4 B in bricks of 64³): the voxels in it and before it; padded to a word
//   1 B           each voxel: the low bits of its hash
//   one value     each voxel

struct HashBrick {
  static constexpr const char* kName = "hash";
  static constexpr bool kHoldsAll = true;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts& counts, BrickShape shape) {
    const uint32_t bits = bucket_bits(counts.voxels, shape);
    return round_up(
        values_at<T>(shape, bits, counts.voxels) + counts.voxels * static_cast<uint32_t>(sizeof(T)),
        sizeof(uint32_t));
  }

  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts& counts, BrickShape shape,
                           uint32_t* to) {
    const uint32_t bits = bucket_bits(counts.voxels, shape);
    to[0] = bits;
    from.each(shape, [&](uint32_t code, T) { add_to_end(to, shape, place(code, shape, bits).bucket, 1); });
    uint32_t sum = 0;  // ends become beginnings; the second loop over the voxels turns them into ends again
    for (uint32_t bucket = 0; bucket < 1u << bits; ++bucket) {
      const uint32_t count = end_of(to, shape, bucket);
      add_to_end(to, shape, bucket, sum - count);
      sum += count;
    }
    uint8_t* rests = array_at<uint8_t>(to, rests_at(shape, bits));
    T* values = array_at<T>(to, values_at<T>(shape, bits, counts.voxels));
    from.each(shape, [&](uint32_t code, T word) {
      const Place here = place(code, shape, bits);
      const uint32_t i = end_of(to, shape, here.bucket);
      add_to_end(to, shape, here.bucket, 1);
      rests[i] = here.rest;
      values[i] = word;
    });
  }

  template <class T>
  VOX_HD static T get(const uint32_t* brick, BrickShape shape, Int3 v) {
    const uint32_t bits = brick[0];
    const Place here = place(brick_code(v), shape, bits);
    const uint32_t end = end_of(brick, shape, here.bucket);
    const uint8_t* rests = array_at<uint8_t>(brick, rests_at(shape, bits));
    for (uint32_t i = here.bucket == 0 ? 0 : end_of(brick, shape, here.bucket - 1); i < end; ++i)
      if (rests[i] == here.rest)
        return array_at<T>(brick, values_at<T>(shape, bits, end_of(brick, shape, (1u << bits) - 1)))[i];
    return 0;
  }

  template <class T>
  VOX_HD static void neighbours(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    neighbours_one_by_one<HashBrick>(brick, shape, at, count, row);
  }
  template <class T>
  VOX_HD static void cube(const uint32_t* brick, BrickShape shape, Int3 at, T* words) {
    cube_by_rows<HashBrick>(brick, shape, at, words);
  }

  template <class T>
  static bool fits(const uint32_t* brick, uint64_t words, BrickShape shape) {
    if (words < 1 || brick[0] > shape.code_bits() || shape.code_bits() - brick[0] > kRestBits) return false;
    const uint32_t bits = brick[0];
    if (words * sizeof(uint32_t) < rests_at(shape, bits)) return false;
    uint32_t before = 0;
    for (uint32_t bucket = 0; bucket < 1u << bits; ++bucket) {
      const uint32_t end = end_of(brick, shape, bucket);
      if (end < before || end > shape.voxels()) return false;
      before = end;
    }
    return words * sizeof(uint32_t) >= values_at<T>(shape, bits, before) + uint64_t{before} * sizeof(T);
  }

 private:
  static constexpr uint32_t kRestBits = 8;

  struct Place {
    uint32_t bucket;
    uint8_t rest;
  };

  // Multiplying by an odd number is a permutation; the high bits of the product depend on all bits of the
  // code.
  VOX_HD static Place place(uint32_t code, BrickShape shape, uint32_t bits) {
    const uint32_t hash = code * 0x9e3779b1u & (shape.voxels() - 1), rest_bits = shape.code_bits() - bits;
    return {hash >> rest_bits, static_cast<uint8_t>(hash & ((1u << rest_bits) - 1))};
  }

  VOX_HD static uint32_t bucket_bits(uint32_t voxels, BrickShape shape) {
    const uint32_t least = shape.code_bits() > kRestBits ? shape.code_bits() - kRestBits : 0;
    const uint32_t wanted = voxels < 8 ? 0 : static_cast<uint32_t>(highest_bit(voxels)) - 2;
    return wanted > least ? wanted : least;
  }

  VOX_HD static uint32_t rests_at(BrickShape shape, uint32_t bits) {
    return round_up(static_cast<uint32_t>(sizeof(uint32_t)) + (count_bytes(shape) << bits), sizeof(uint32_t));
  }
  template <class T>
  VOX_HD static uint32_t values_at(BrickShape shape, uint32_t bits, uint32_t voxels) {
    return round_up(rests_at(shape, bits) + voxels, sizeof(T));
  }

  VOX_HD static uint32_t end_of(const uint32_t* brick, BrickShape shape, uint32_t bucket) {
    return count_at(brick, shape, sizeof(uint32_t), bucket);
  }
  VOX_HD static void add_to_end(uint32_t* brick, BrickShape shape, uint32_t bucket, uint32_t count) {
    put_count(brick, shape, sizeof(uint32_t), bucket, end_of(brick, shape, bucket) + count);
  }
};

// A masked brick: masks of the filled voxels, in two levels, and the values of these voxels, packed:
//
//   1 bit   each block of 4³ voxels in Morton order: 1 if any of its voxels is filled; in whole words. Absent
//           in a brick of 4³, which has one block
//   2 B     each of these words, if there are several: the filled blocks before it
//   2 B     each filled block (4 B in bricks of 64³): the filled voxels before it; padded to a word.
//           Absent in a brick of 4³
//   8 B     each filled block: a bit for each voxel, in Morton order
//   value   each filled voxel, in Morton order

struct MaskedBrick {
  static constexpr const char* kName = "masked";
  static constexpr bool kHoldsAll = true;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts& counts, BrickShape shape) {
    return round_up(
        values_at(shape, stored_blocks(counts, shape)) + counts.voxels * static_cast<uint32_t>(sizeof(T)),
        sizeof(uint32_t));
  }

  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts& counts, BrickShape shape,
                           uint32_t* to) {
    const uint32_t stored = stored_blocks(counts, shape);
    uint32_t* masks = array_at<uint32_t>(to, masks_at(shape, stored));
    T* values = array_at<T>(to, values_at(shape, stored));
    uint32_t blocks = 0, voxels = 0;
    for (uint32_t block = 0; block < shape.blocks(); ++block) {
      if (block % 32 == 0 && top_words(shape) > 1)
        array_at<uint16_t>(to, top_ranks_at(shape))[block / 32] = static_cast<uint16_t>(blocks);
      const uint64_t mask = from.masks[block];
      if (mask == 0) continue;
      if (top_words(shape) > 0) {
        to[block / 32] |= 1u << block % 32;
        put_count(to, shape, ranks_at(shape), blocks, voxels);
      }
      masks[2 * blocks] = static_cast<uint32_t>(mask);
      masks[2 * blocks + 1] = static_cast<uint32_t>(mask >> 32);
      ++blocks;
      for (uint64_t left = mask; left != 0; left &= left - 1)
        values[voxels++] = from.words[block << 6 | static_cast<uint32_t>(lowest_bit(left))];
    }
  }

  template <class T>
  VOX_HD static T get(const uint32_t* brick, BrickShape shape, Int3 v) {
    const uint32_t code = brick_code(v);
    const Block block = block_at(brick, shape, code);
    return block.mask == 0 ? T{0} : block.value(values<T>(brick, shape), code);
  }

  template <class T>
  VOX_HD static void neighbours(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    const T* const from = values<T>(brick, shape);
    for (uint32_t i = 0; i < count;) {
      const uint32_t code = brick_code(at), of_block = 4 - (static_cast<uint32_t>(at.x) & 3);
      const uint32_t n = of_block < count - i ? of_block : count - i;
      const Block block = block_at(brick, shape, code);
      const bool is_empty = (block.mask >> (code & kRowBegin) & kRowBits) == 0;
      const uint32_t rest = code & ~kAlongX;
      for (uint32_t k = 0, x = code; k < n; ++k, x = next_along_x(x))
        row[i + k] = is_empty ? T{0} : block.value(from, (x & kAlongX) | rest);
      at.x += static_cast<int32_t>(n);
      i += n;
    }
  }

  // Looks at each block of the cube's voxels once.
  template <class T>
  VOX_HD static void cube(const uint32_t* brick, BrickShape shape, Int3 at, T* words) {
    const T* const from = values<T>(brick, shape);
    const uint32_t low = brick_code(at), high = brick_code(at + Int3{1, 1, 1});
    const bool next_x = at.x % 4 == 3, next_y = at.y % 4 == 3, next_z = at.z % 4 == 3;  // begins a block
    // A row of two voxels along x, with the bits of y and z from one of the two corners.
    const auto code = [=](uint32_t yz) { return (low & kAlongX) | yz; };
    const auto next = [=](uint32_t yz) { return (high & kAlongX) | yz; };
    const auto find = [=](uint32_t yz) {
      const Block block = block_at(brick, shape, code(yz));
      return Row{block, next_x ? block_at(brick, shape, next(yz)) : block};
    };
    const auto put = [=](const Row& row, uint32_t yz, T* to) {
      to[0] = row.low.template value<T>(from, code(yz));
      to[1] = row.high.template value<T>(from, next(yz));
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

  // Checks that the stored counts agree with the masks, so that access by them stays inside the brick.
  template <class T>
  static bool fits(const uint32_t* brick, uint64_t words, BrickShape shape) {
    const uint64_t bytes = words * sizeof(uint32_t);
    if (bytes < ranks_at(shape)) return false;
    uint32_t stored = 1;
    if (top_words(shape) > 0) {
      stored = 0;
      for (uint32_t word = 0; word < top_words(shape); ++word) {
        if (blocks_before(brick, shape, word, 0) != stored) return false;
        stored += static_cast<uint32_t>(popcount(brick[word]));
      }
      if (stored > shape.blocks()) return false;
    }
    if (bytes < values_at(shape, stored)) return false;
    uint32_t voxels = 0;
    for (uint32_t block = 0; block < stored; ++block) {
      if (top_words(shape) > 0 && rank(brick, shape, block) != voxels) return false;
      voxels += static_cast<uint32_t>(popcount(mask_at(brick, shape, stored, block)));
    }
    return bytes >= values_at(shape, stored) + uint64_t{voxels} * sizeof(T);
  }

 private:
  // The four voxels of a block with the same y and z: the bits of y and z in a Morton code, and the bits of the
  // row that begins at code 0.
  static constexpr uint32_t kRowBegin = 0x36, kRowBits = 0x303;
  static constexpr uint32_t kAlongX = 0x09249249;  // the bits of a Morton code that belong to x

  // Returns the bits of x of the code of the voxel above this one along x.
  VOX_HD static uint32_t next_along_x(uint32_t code) { return ((code | ~kAlongX) + 1) & kAlongX; }

  // A block of 4³ voxels: the mask of its filled voxels, and the number of filled voxels before it.
  struct Block {
    uint64_t mask = 0;    // 8 B
    uint32_t before = 0;  // 4 B

    // Returns the word of a voxel from the brick's values. It reads none if the voxel is empty.
    template <class T>
    VOX_HD T value(const T* values, uint32_t code) const {
      const uint64_t bit = uint64_t{1} << (code & 63);
      if ((mask & bit) == 0) return 0;
      return values[before + static_cast<uint32_t>(popcount(mask & (bit - 1)))];
    }
  };
  // The blocks of two neighbouring voxels along x.
  struct Row {
    Block low, high;
  };

  // Returns the block of the voxel with this code.
  VOX_HD static Block block_at(const uint32_t* brick, BrickShape shape, uint32_t code) {
    if (top_words(shape) == 0) return {mask_at(brick, shape, 1, 0), 0};
    const uint32_t word = code >> 11, bit = code >> 6 & 31;
    if ((brick[word] >> bit & 1) == 0) return {};
    const uint32_t block = blocks_before(brick, shape, word, bit);
    return {mask_at(brick, shape, all_stored(brick, shape), block), rank(brick, shape, block)};
  }

  // Returns the number of filled blocks of a brick.
  VOX_HD static uint32_t all_stored(const uint32_t* brick, BrickShape shape) {
    return top_words(shape) == 0 ? 1 : blocks_before(brick, shape, top_words(shape) - 1, 32);
  }
  template <class T>
  VOX_HD static const T* values(const uint32_t* brick, BrickShape shape) {
    return array_at<T>(brick, values_at(shape, all_stored(brick, shape)));
  }

  VOX_HD static uint32_t stored_blocks(const BrickCounts& counts, BrickShape shape) {
    return shape.log2_side == 2 ? 1 : counts.blocks;
  }
  VOX_HD static uint32_t top_words(BrickShape shape) {
    return shape.log2_side == 2 ? 0 : (shape.blocks() + 31) / 32;
  }
  VOX_HD static uint32_t rank_bytes(BrickShape shape) {
    return shape.log2_side == 2 ? 0 : count_bytes(shape);
  }

  VOX_HD static uint32_t top_ranks_at(BrickShape shape) { return 4 * top_words(shape); }
  VOX_HD static uint32_t ranks_at(BrickShape shape) {
    return top_ranks_at(shape) + (top_words(shape) > 1 ? 2 * top_words(shape) : 0);
  }
  VOX_HD static uint32_t masks_at(BrickShape shape, uint32_t stored) {
    return round_up(ranks_at(shape) + stored * rank_bytes(shape), sizeof(uint32_t));
  }
  VOX_HD static uint32_t values_at(BrickShape shape, uint32_t stored) {
    return masks_at(shape, stored) + 8 * stored;
  }

  // Returns how many filled blocks come before this bit of this word.
  VOX_HD static uint32_t blocks_before(const uint32_t* brick, BrickShape shape, uint32_t word, uint32_t bit) {
    const uint32_t below = bit == 32 ? UINT32_MAX : (1u << bit) - 1;
    const uint32_t before = top_words(shape) > 1 ? array_at<uint16_t>(brick, top_ranks_at(shape))[word] : 0;
    return before + static_cast<uint32_t>(popcount(brick[word] & below));
  }

  VOX_HD static uint32_t rank(const uint32_t* brick, BrickShape shape, uint32_t block) {
    return count_at(brick, shape, ranks_at(shape), block);
  }

  VOX_HD static uint64_t mask_at(const uint32_t* brick, BrickShape shape, uint32_t stored, uint32_t block) {
    const uint32_t* masks = array_at<uint32_t>(brick, masks_at(shape, stored)) + 2 * block;
    return masks[0] | uint64_t{masks[1]} << 32;
  }
};

}  // namespace vox::bricks
