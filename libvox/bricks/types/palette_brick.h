// A palette brick: a list of the few values that occur, and for each voxel an index into the list, with as
// many bits as needed.
//
//   4 B         number of values, 1 to 256
//   one value   each of the list, ascending; padded to a word
//   k bits      each voxel, x fastest: its value's place in the list; 2^k is at least the number of values.
//               Low bits come first, across the borders of words
#pragma once

#include "libvox/bricks/brick.h"
#include "libvox/bricks/value_set.h"

namespace vox::bricks {

struct PaletteBrick {
  static constexpr const char* kName = "palette";
  static constexpr bool kHoldsAll = false;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts& counts, BrickShape shape) {
    if (counts.values > kMaxPalette) return kNever;
    const uint32_t index_words = (shape.voxels() * index_bits(counts.values) + 31) / 32;
    return 4 * (indices_at<T>(counts.values) + index_words);
  }

  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts& counts, BrickShape shape,
                           uint32_t* to) {
    to[0] = counts.values;
    T* values = array_at<T>(to, sizeof(uint32_t));
    ValueSet<T> set;
    for (uint32_t code = 0; code < shape.voxels(); ++code) set.add(from.words[code]);
    set.copy_to(values);
    uint32_t* indices = to + indices_at<T>(counts.values);
    const uint32_t bits = index_bits(counts.values);
    for (uint32_t code = 0; code < shape.voxels(); ++code) {
      const uint32_t index = place_of(values, counts.values, from.words[code]);
      const uint32_t bit = shape.row_major(brick_voxel(code)) * bits, shift = bit % 32;
      indices[bit / 32] |= index << shift;
      if (shift + bits > 32) indices[bit / 32 + 1] |= index >> (32 - shift);
    }
  }

  template <class T>
  VOX_HD static T get(const uint32_t* brick, BrickShape shape, Int3 v) {
    return array_at<T>(brick, sizeof(uint32_t))[index_at<T>(brick, shape.row_major(v))];
  }

  template <class T>
  VOX_HD static void neighbours(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    const uint32_t first = shape.row_major(at);
    for (uint32_t i = 0; i < count; ++i)
      row[i] = array_at<T>(brick, sizeof(uint32_t))[index_at<T>(brick, first + i)];
  }

  template <class T>
  static bool fits(const uint32_t* brick, uint64_t words, BrickShape shape) {
    if (words < 1 || brick[0] < 1 || brick[0] > kMaxPalette ||
        words * sizeof(uint32_t) < bytes<T>({.values = brick[0]}, shape))
      return false;
    for (uint32_t i = 0; i < shape.voxels(); ++i)
      if (index_at<T>(brick, i) >= brick[0]) return false;
    return true;
  }

 private:
  VOX_HD static uint32_t index_bits(uint32_t values) {
    return values <= 1 ? 0 : static_cast<uint32_t>(highest_bit(values - 1)) + 1;
  }

  // Returns where the indices begin, in words.
  template <class T>
  VOX_HD static uint32_t indices_at(uint32_t values) {
    return 1 + (values * static_cast<uint32_t>(sizeof(T)) + 3) / 4;
  }

  template <class T>
  VOX_HD static uint32_t index_at(const uint32_t* brick, uint32_t i) {
    const uint32_t* indices = brick + indices_at<T>(brick[0]);
    const uint32_t bits = index_bits(brick[0]), bit = i * bits, shift = bit % 32;
    if (bits == 0) return 0;
    uint32_t index = indices[bit / 32] >> shift;
    if (shift + bits > 32) index |= indices[bit / 32 + 1] << (32 - shift);
    return index & ((1u << bits) - 1);
  }
};

}  // namespace vox::bricks
