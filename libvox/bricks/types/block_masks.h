// The masks of a brick's filled voxels, in two levels, from which the types that keep only these voxels tell a voxel's
// place among them:
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

  // The bytes of all masks, if so many blocks are filled.
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

  // Checks that the stored counts agree with the masks, so that access by them stays inside so many bytes. Returns the
  // number of filled voxels, or kNever if they do not.
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

}  // namespace vox::bricks
