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

// An octree brick: a pointer octree with leaves of 2³ values (Labschütz, §3.1.2):
//
//   4 B        number of inner nodes
//   16 B       each inner node, from the root down, level by level: eight pointers of 16 bits to the
//              children, in Morton order. A pointer is the number of an inner node or, in nodes of 4³
//              voxels, of a leaf; all its bits are 1 if everything below is empty
//   8 values   each leaf, in Morton order
//
// Pointers are numbers within the brick, so half of the thesis's 32 bits are enough: a brick of 64³ has at most 4681
// inner nodes and 32768 leaves. Bricks of 128³ and more have pointers of 32 bits, so that an inner node takes 32 B.

struct OctreeBrick {
  static constexpr const char* kName = "octree";
  static constexpr bool kHoldsAll = true;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts& counts, BrickShape shape) {
    return leaves_at(shape, nodes_of(counts)) + counts.pairs * 8 * static_cast<uint32_t>(sizeof(T));
  }

  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts& counts, BrickShape shape,
                           uint32_t* to) {
    to[0] = nodes_of(counts);
    for (uint32_t i = 0; i < 8 * to[0]; ++i) put_pointer(to, shape, i, kNone);
    T* leaves = array_at<T>(to, leaves_at(shape, to[0]));
    Levels next = level_starts(from.masks, shape);
    Levels path;  // the nodes above the last block
    uint32_t leaf = 0, before = kNever;
    for (uint32_t block = 0; block < shape.blocks(); ++block) {
      if (from.masks[block] == 0) continue;
      for (uint32_t level = 0; level < inner_levels(shape); ++level) {
        const uint32_t shift = 3 * (inner_levels(shape) - 1 - level);
        if (before != kNever && before >> shift == block >> shift) continue;
        path.at[level] = next.at[level]++;
        if (level > 0) put_pointer(to, shape, 8 * path.at[level - 1] + (block >> shift & 7), path.at[level]);
      }
      before = block;
      const uint32_t pointers = 8 * path.at[inner_levels(shape) - 1];
      for (uint32_t pair = 0; pair < 8; ++pair) {
        if ((from.masks[block] >> 8 * pair & 0xff) == 0) continue;
        for (uint32_t i = 0; i < 8; ++i) leaves[8 * leaf + i] = from.words[block << 6 | pair << 3 | i];
        put_pointer(to, shape, pointers + pair, leaf++);
      }
    }
  }

  template <class T>
  VOX_HD static T get(const uint32_t* brick, BrickShape shape, Int3 v) {
    const uint32_t code = brick_code(v, shape);
    const uint32_t leaf = leaf_of(brick, shape, code);
    return leaf == kNone ? T{0} : array_at<T>(brick, leaves_at(shape, brick[0]))[8 * leaf + (code & 7)];
  }

  // Two neighboring voxels along x share a leaf if the first one has an even x.
  template <class T>
  VOX_HD static void neighbors(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    const T* leaves = array_at<T>(brick, leaves_at(shape, brick[0]));
    uint32_t leaf = kNone;
    for (uint32_t i = 0; i < count; ++i, ++at.x) {
      const uint32_t code = brick_code(at, shape);
      if (i == 0 || at.x % 2 == 0) leaf = leaf_of(brick, shape, code);
      row[i] = leaf == kNone ? T{0} : leaves[8 * leaf + (code & 7)];
    }
  }
  template <class T>
  VOX_HD static void cube(const uint32_t* brick, BrickShape shape, Int3 at, T* words) {
    cube_by_rows<OctreeBrick>(brick, shape, at, words);
  }

  template <class T>
  static bool fits(const uint32_t* brick, uint64_t words, BrickShape shape) {
    if (words < 1 || (words * sizeof(uint32_t) - sizeof(uint32_t)) / (8 * pointer_bytes(shape)) < brick[0])
      return false;
    const uint64_t leaf_bytes = words * sizeof(uint32_t) - leaves_at(shape, brick[0]);
    return brick[0] > 0 && node_fits(brick, shape, 0, 0, leaf_bytes / (8 * sizeof(T)));
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;  // in 16 bits, 0xffff

  struct Levels {
    uint32_t at[kMaxBrickLog2 - 1] = {};
  };

  VOX_HD static uint32_t pointer_bytes(BrickShape shape) { return shape.log2_side <= 6 ? 2 : 4; }
  VOX_HD static uint32_t pointer_at(const uint32_t* brick, BrickShape shape, uint32_t i) {
    if (pointer_bytes(shape) == 4) return brick[1 + i];
    const uint32_t pointer = array_at<uint16_t>(brick, sizeof(uint32_t))[i];
    return pointer == 0xffff ? kNone : pointer;
  }
  VOX_HD static void put_pointer(uint32_t* brick, BrickShape shape, uint32_t i, uint32_t pointer) {
    if (pointer_bytes(shape) == 4) {
      brick[1 + i] = pointer;
    } else {
      array_at<uint16_t>(brick, sizeof(uint32_t))[i] = static_cast<uint16_t>(pointer);
    }
  }

  // There is a root even if everything is empty.
  VOX_HD static uint32_t nodes_of(const BrickCounts& counts) { return counts.inner == 0 ? 1 : counts.inner; }
  VOX_HD static uint32_t inner_levels(BrickShape shape) { return shape.log2_side - 1; }
  VOX_HD static uint32_t leaves_at(BrickShape shape, uint32_t inner) {
    return static_cast<uint32_t>(sizeof(uint32_t)) + inner * 8 * pointer_bytes(shape);
  }

  // Returns the number of the first node of each level.
  VOX_HD static Levels level_starts(const uint64_t* masks, BrickShape shape) {
    Levels counts;
    uint32_t before = kNever;
    for (uint32_t block = 0; block < shape.blocks(); ++block) {
      if (masks[block] == 0) continue;
      for (uint32_t level = 0; level < inner_levels(shape); ++level) {
        const uint32_t shift = 3 * (inner_levels(shape) - 1 - level);
        if (before == kNever || before >> shift != block >> shift) ++counts.at[level];
      }
      before = block;
    }
    Levels starts;
    for (uint32_t level = 1; level < inner_levels(shape); ++level)
      starts.at[level] = starts.at[level - 1] + counts.at[level - 1];
    return starts;
  }

  VOX_HD static uint32_t leaf_of(const uint32_t* brick, BrickShape shape, uint32_t code) {
    uint32_t node = 0;
    for (uint32_t shift = shape.code_bits() - 3; shift > 0 && node != kNone; shift -= 3)
      node = pointer_at(brick, shape, 8 * node + (code >> shift & 7));
    return node;
  }

  // True if the pointers of a node are valid. Children must come after their parents, so that no path is
  // endless.
  static bool node_fits(const uint32_t* brick, BrickShape shape, uint32_t node, uint32_t level,
                        uint64_t leaves) {
    const bool last = level + 1 == inner_levels(shape);
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t child = pointer_at(brick, shape, 8 * node + i);
      if (child == kNone) continue;
      if (last ? child >= leaves : child <= node || child >= brick[0]) return false;
      if (!last && !node_fits(brick, shape, child, level + 1, leaves)) return false;
    }
    return true;
  }
};

}  // namespace vox::bricks
