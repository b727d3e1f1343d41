// Blocks in Morton order: cubes of the grid that do not overlap, each as large as some node of the octree. A
// binary search finds the blocks that meet a cube.
#pragma once

#include "libvox/edit/content.h"

namespace vox::edit {

// The key of a block: the Morton code of its lowest corner in leaves, followed in the low 5 bits by log2 of
// its side in leaves.
using BlockKey = uint64_t;
inline constexpr uint32_t kBlockHeightBits = 5;

VOX_HD inline BlockKey block_key(const Region& region, uint32_t depth) {
  return morton_encode(static_cast<uint32_t>(region.min.x) >> dag::kLeafLog2,
                       static_cast<uint32_t>(region.min.y) >> dag::kLeafLog2,
                       static_cast<uint32_t>(region.min.z) >> dag::kLeafLog2)
             << kBlockHeightBits |
         (depth - region.level);
}
VOX_HD inline uint32_t block_height(BlockKey key) {
  return key & ((1 << kBlockHeightBits) - 1);
}
// Returns the lowest corner of a block, in leaves.
VOX_HD inline Int3 block_corner(BlockKey key) {
  return morton_decode(key >> kBlockHeightBits);
}
// Returns the least key above the keys of this block and of all blocks within it.
VOX_HD inline BlockKey block_end(BlockKey key) {
  return ((key >> kBlockHeightBits) + (uint64_t{1} << 3 * block_height(key))) << kBlockHeightBits;
}

struct BlockRange {
  uint32_t begin, end;
  VOX_HD bool empty() const { return begin == end; }
};

struct BlockIndex {
  const BlockKey* keys;  // ascending

  // Returns the blocks of the range that lie inside the cube, or the one block that contains the cube.
  VOX_HD BlockRange meeting(BlockKey cube, BlockRange range) const {
    const BlockKey start = cube >> kBlockHeightBits << kBlockHeightBits;
    const uint32_t first = lower_bound(start, range);
    if (first > range.begin && block_end(keys[first - 1]) > start) return {first - 1, first};
    return {first, lower_bound(block_end(cube), {first, range.end})};
  }

  // Returns a range with all of the `count` blocks that meet the cube. The range is small if the cube is
  // close to block `from`.
  VOX_HD BlockRange around(BlockKey cube, uint32_t from, uint32_t count) const {
    const BlockKey start = cube >> kBlockHeightBits << kBlockHeightBits, end = block_end(cube);
    uint64_t step = 1, begin = from, behind = from;
    for (; begin > 0 && keys[begin] >= start; step *= 4) begin = begin > step ? begin - step : 0;
    for (step = 1; behind < count && keys[behind] < end; step *= 4) behind += step;
    return {static_cast<uint32_t>(begin), behind < count ? static_cast<uint32_t>(behind) : count};
  }

 private:
  VOX_HD uint32_t lower_bound(BlockKey key, BlockRange range) const {
    while (range.begin < range.end) {
      const uint32_t middle = range.begin + (range.end - range.begin) / 2;
      if (keys[middle] < key)
        range.begin = middle + 1;
      else
        range.end = middle;
    }
    return range.begin;
  }
};

}  // namespace vox::edit
