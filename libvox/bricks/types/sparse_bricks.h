// Bricks that keep only the voxels that are not empty: in a list, in a hash table, or in an array after masks.
#pragma once

#include "libvox/bricks/brick.h"
#include "libvox/bricks/types/indexed_brick.h"

namespace vox::bricks {

// A list brick: the voxels that are not empty, in Morton order, found by binary search (Labschütz, §3.1.3):
//
//   4 B            number of voxels
//   1, 2, 3, 4 B   each: its Morton code in the brick, in bricks of 4³, up to 32³, up to 256³, and 512³; low byte first
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
    const uint32_t code = brick_code(v, shape), count = brick[0];
    const uint32_t place = first_not_less(count, code, [&](uint32_t i) { return code_at(brick, shape, i); });
    if (place == count || code_at(brick, shape, place) != code) return 0;
    return array_at<T>(brick, values_at<T>(count, shape))[place];
  }

  template <class T>
  VOX_HD static void neighbors(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    neighbors_one_by_one<ListBrick>(brick, shape, at, count, row);
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
    const uint32_t low = bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16;
    return each == 3 ? low : low | uint32_t{bytes[3]} << 24;
  }
};

// A hash brick: the voxels that are not empty, in buckets of a hash table. The hash is a permutation of the
// Morton codes. An entry therefore needs only the part of its code's hash that its bucket does not tell,
// one byte instead of a code ("quotienting", Knuth, TAOCP 3, §6.4, exercise 13; Cleary 1984). No slot is
// free.
//
//   4 B           q: there are 2^q buckets, about one for each four voxels
//   2 B           each bucket (4 B in bricks of 64³ and more): the voxels in it and before it; padded to a word
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
    uint32_t sum = 0;  // ends become beginnings; the second loop turns them into ends again
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
    const Place here = place(brick_code(v, shape), shape, bits);
    const uint32_t end = end_of(brick, shape, here.bucket);
    const uint8_t* rests = array_at<uint8_t>(brick, rests_at(shape, bits));
    for (uint32_t i = here.bucket == 0 ? 0 : end_of(brick, shape, here.bucket - 1); i < end; ++i)
      if (rests[i] == here.rest)
        return array_at<T>(brick, values_at<T>(shape, bits, end_of(brick, shape, (1u << bits) - 1)))[i];
    return 0;
  }

  template <class T>
  VOX_HD static void neighbors(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    neighbors_one_by_one<HashBrick>(brick, shape, at, count, row);
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

// A masked brick: masks of the filled voxels (indexed_brick.h), and the values of these voxels in Morton order.
struct MaskedBrick {
  static constexpr const char* kName = "masked";
  static constexpr bool kHoldsAll = true;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts& counts, BrickShape shape) {
    return round_up(BlockMasks::bytes(shape, BlockMasks::stored_blocks(counts, shape)) +
                        counts.voxels * static_cast<uint32_t>(sizeof(T)),
                    sizeof(uint32_t));
  }

  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts& counts, BrickShape shape,
                           uint32_t* to) {
    BlockMasks::build(from, counts, shape, to);
    T* values = array_at<T>(to, BlockMasks::bytes(shape, BlockMasks::stored_blocks(counts, shape)));
    from.each(shape, [&](uint32_t, T word) { *values++ = word; });
  }

  template <class T>
  VOX_HD static T get(const uint32_t* brick, BrickShape shape, Int3 v) {
    return BlockMasks::get<T>(brick, shape, v, Values<T>{values<T>(brick, shape)});
  }
  template <class T>
  VOX_HD static void neighbors(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    BlockMasks::neighbors(brick, shape, at, count, row, Values<T>{values<T>(brick, shape)});
  }
  template <class T>
  VOX_HD static void cube(const uint32_t* brick, BrickShape shape, Int3 at, T* words) {
    BlockMasks::cube(brick, shape, at, words, Values<T>{values<T>(brick, shape)});
  }

  template <class T>
  static bool fits(const uint32_t* brick, uint64_t words, BrickShape shape) {
    const uint64_t bytes = words * sizeof(uint32_t);
    const uint32_t voxels = BlockMasks::checked_voxels(brick, bytes, shape);
    return voxels != kNever &&
           bytes >= BlockMasks::bytes(shape, BlockMasks::stored(brick, shape)) + uint64_t{voxels} * sizeof(T);
  }

 private:
  // The values of the filled voxels.
  template <class T>
  struct Values {
    const T* values;
    VOX_HD T operator()(uint32_t place) const { return values[place]; }
  };
  template <class T>
  VOX_HD static const T* values(const uint32_t* brick, BrickShape shape) {
    return array_at<T>(brick, BlockMasks::bytes(shape, BlockMasks::stored(brick, shape)));
  }
};

}  // namespace vox::bricks
