// A hash brick: the voxels that are not empty, in buckets of a hash table. The hash is a permutation of the
// Morton codes, so that an entry needs only the part of its code's hash that does not follow from its bucket
// ("quotienting", Knuth, TAOCP 3, §6.4, exercise 13; Cleary 1984): one byte instead of a code. No slot is
// free.
//
//   4 B           q: there are 2^q buckets, about one for each four voxels
//   2 B           each bucket (4 B in bricks of 64³): the voxels in it and before it; padded to a word
//   1 B           each voxel: the low bits of its hash
//   one value     each voxel
#pragma once

#include "libvox/bricks/brick.h"

namespace vox::bricks {

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

}  // namespace vox::bricks
