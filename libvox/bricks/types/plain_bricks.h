// Bricks that are empty, have one value or few values, or keep the value of every voxel.
#pragma once

#include "libvox/bricks/brick.h"

namespace vox::bricks {

// An empty brick: no voxel is filled, and it takes no bytes at all.
struct EmptyBrick {
  static constexpr const char* kName = "empty";
  static constexpr bool kHoldsAll = false;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts& counts, BrickShape) {
    return counts.voxels == 0 ? 0 : kNever;
  }
  template <class T>
  VOX_HD static void build(const BrickVoxels<T>&, const BrickCounts&, BrickShape, uint32_t*) {}
  template <class T>
  VOX_HD static T get(const uint32_t*, BrickShape, Int3) {
    return 0;
  }
  template <class T>
  VOX_HD static void neighbors(const uint32_t*, BrickShape, Int3, uint32_t count, T* row) {
    for (uint32_t i = 0; i < count; ++i) row[i] = 0;
  }
  template <class T>
  VOX_HD static void cube(const uint32_t* brick, BrickShape shape, Int3 at, T* words) {
    cube_by_rows<EmptyBrick>(brick, shape, at, words);
  }
  template <class T>
  static bool fits(const uint32_t*, uint64_t, BrickShape) {
    return true;
  }
};

// A homogeneous brick: all voxels have one value, which takes one word.
struct HomogeneousBrick {
  static constexpr const char* kName = "homogeneous";
  static constexpr bool kHoldsAll = false;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts& counts, BrickShape shape) {
    return counts.values == 1 && counts.voxels == shape.voxels() ? sizeof(uint32_t) : kNever;
  }
  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts&, BrickShape, uint32_t* to) {
    to[0] = from.words[0];
  }
  template <class T>
  VOX_HD static T get(const uint32_t* brick, BrickShape, Int3) {
    return static_cast<T>(brick[0]);
  }
  template <class T>
  VOX_HD static void neighbors(const uint32_t* brick, BrickShape, Int3, uint32_t count, T* row) {
    for (uint32_t i = 0; i < count; ++i) row[i] = static_cast<T>(brick[0]);
  }
  template <class T>
  VOX_HD static void cube(const uint32_t* brick, BrickShape shape, Int3 at, T* words) {
    cube_by_rows<HomogeneousBrick>(brick, shape, at, words);
  }
  template <class T>
  static bool fits(const uint32_t*, uint64_t words, BrickShape) {
    return words >= 1;
  }
};

// A dense brick: the value of every voxel, x fastest.
struct DenseBrick {
  static constexpr const char* kName = "dense";
  static constexpr bool kHoldsAll = true;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts&, BrickShape shape) {
    return shape.voxels() * static_cast<uint32_t>(sizeof(T));
  }

  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts&, BrickShape shape, uint32_t* to) {
    T* values = array_at<T>(to, 0);
    from.each(shape, [&](uint32_t code, T word) { values[shape.row_major(brick_voxel(code))] = word; });
  }

  template <class T>
  VOX_HD static T get(const uint32_t* brick, BrickShape shape, Int3 v) {
    return array_at<T>(brick, 0)[shape.row_major(v)];
  }

  template <class T>
  VOX_HD static void neighbors(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    const T* from = array_at<T>(brick, 0) + shape.row_major(at);
    for (uint32_t i = 0; i < count; ++i) row[i] = from[i];
  }
  template <class T>
  VOX_HD static void cube(const uint32_t* brick, BrickShape shape, Int3 at, T* words) {
    cube_by_rows<DenseBrick>(brick, shape, at, words);
  }

  template <class T>
  static bool fits(const uint32_t*, uint64_t words, BrickShape shape) {
    return words * sizeof(uint32_t) >= bytes<T>({}, shape);
  }
};

// A palette brick: a list of the few values that occur, and for each voxel an index into the list, with as
// many bits as needed.
//
//   4 B         number of values, 1 to 256
//   one value   each of the list, ascending; padded to a word
//   k bits      each voxel, x fastest: its value's place in the list; 2^k is at least the number of values.
//               Low bits come first, across the borders of words
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
    from.each(shape, [&](uint32_t, T word) { set.add(word); });
    if (counts.voxels < shape.voxels()) set.add(0);  // the lowest value; its index is 0
    set.copy_to(values);
    uint32_t* indices = to + indices_at<T>(counts.values);
    const uint32_t bits = index_bits(counts.values);
    from.each(shape, [&](uint32_t code, T word) {
      const uint32_t index = set.index_of(word);
      const uint32_t bit = shape.row_major(brick_voxel(code)) * bits, shift = bit % 32;
      indices[bit / 32] |= index << shift;
      if (shift + bits > 32) indices[bit / 32 + 1] |= index >> (32 - shift);
    });
  }

  template <class T>
  VOX_HD static T get(const uint32_t* brick, BrickShape shape, Int3 v) {
    return array_at<T>(brick, sizeof(uint32_t))[index_at<T>(brick, shape.row_major(v))];
  }

  template <class T>
  VOX_HD static void neighbors(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    const uint32_t first = shape.row_major(at);
    for (uint32_t i = 0; i < count; ++i)
      row[i] = array_at<T>(brick, sizeof(uint32_t))[index_at<T>(brick, first + i)];
  }
  template <class T>
  VOX_HD static void cube(const uint32_t* brick, BrickShape shape, Int3 at, T* words) {
    cube_by_rows<PaletteBrick>(brick, shape, at, words);
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
