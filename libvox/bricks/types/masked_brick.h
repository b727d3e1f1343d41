// A masked brick: masks of the filled voxels, in two levels, and the values of these voxels, packed:
//
//   1 bit   each block of 4³ voxels in Morton order: 1 if any of its voxels is filled; in whole words. Absent
//           in a brick of 4³, which has one block
//   2 B     each of these words, if there are several: the filled blocks before it
//   2 B     each filled block (4 B in bricks of 64³): the filled voxels before it; padded to a word.
//           Absent in a brick of 4³
//   8 B     each filled block: a bit for each voxel, in Morton order
//   value   each filled voxel, in Morton order
#pragma once

#include "libvox/bricks/brick.h"

namespace vox::bricks {

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
    uint32_t block = 0, stored = 1, before = 0;
    if (top_words(shape) > 0) {
      const uint32_t word = code >> 11, bit = code >> 6 & 31;
      if ((brick[word] >> bit & 1) == 0) return 0;
      block = blocks_before(brick, shape, word, bit);
      stored = blocks_before(brick, shape, top_words(shape) - 1, 32);
      before = rank(brick, shape, block);
    }
    const uint64_t mask = mask_at(brick, shape, stored, block), bit = uint64_t{1} << (code & 63);
    if ((mask & bit) == 0) return 0;
    before += static_cast<uint32_t>(popcount(mask & (bit - 1)));
    return array_at<T>(brick, values_at(shape, stored))[before];
  }

  template <class T>
  VOX_HD static void neighbours(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    neighbours_one_by_one<MaskedBrick>(brick, shape, at, count, row);
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
