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
#pragma once

#include "libvox/bricks/brick.h"

namespace vox::bricks {

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
