// The content of a region of the grid, in 32 bits, and how it is read from the DAG.
#pragma once

#include "libvox/base/morton.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"
#include "libvox/hash/slab_memory.h"

namespace vox::edit {

// The content of a region: a pointer to a node or leaf, or one of the values below. No pointer has these
// values, because the last superblock is never used.
using Content = uint32_t;
inline constexpr Content kEmptyContent = hash::kNullPointer;
inline constexpr Content kFirstFilled = 0xfffffe00;
static_assert(kFirstFilled >> (hash::kBlockBits + hash::kSlabBits + hash::kSlotBits) ==
              hash::kMaxSuperblocks);

// Returns the content of a region that is completely filled with one material.
VOX_HD inline Content filled_with(uint32_t material) {
  return kFirstFilled | material;
}
VOX_HD inline bool is_filled(Content content) {
  return content >> 4 == kFirstFilled >> 4;
}
VOX_HD inline uint32_t material_of(Content filled) {
  return filled & 15;
}
VOX_HD inline bool is_pointer(Content content) {
  return content < kFirstFilled;
}

// A cube of the grid that corresponds to a node of this level.
struct Region {
  Int3 min;        // 12 B
  uint32_t level;  // 4 B; 0 is the root's level
  int32_t side;    // 4 B, in voxels

  VOX_HD Region child(uint32_t octant) const {
    const int32_t half = side / 2;
    return {min + octant_corner(octant, half), level + 1, half};
  }
  VOX_HD Int3 end() const { return {min.x + side, min.y + side, min.z + side}; }
};

// Access to the DAGs in a store, for any root.
struct StoredDag {
  hash::SlabMemoryRef store;
  uint32_t depth;      // the level of the leaves
  uint32_t materials;  // 1: the leaves hold materials

  VOX_HD dag::NodeKind kind(uint32_t level) const {
    return level == depth ? dag::NodeKind::Leaf : dag::NodeKind::Inner;
  }

  // Returns the content of a part of a region. The region must not be a leaf.
  VOX_HD Content child(Content content, uint32_t octant) const {
    if (!is_pointer(content)) return content;
    const hash::ItemRef node = store.item(content);
    return node[0] >> octant & 1 ? node[dag::child_word(node[0], octant)] : kEmptyContent;
  }
  // Returns the material that fills the whole region, or kEmptyVoxel.
  VOX_HD int filling(Content content, uint32_t level) const {
    if (is_filled(content)) return static_cast<int>(material_of(content));
    return is_pointer(content) ? dag::homogeneous_content(store.item(content), kind(level), materials != 0)
                               : dag::kEmptyVoxel;
  }
  // Returns the material of a leaf's voxel, or kEmptyVoxel.
  VOX_HD int voxel(Content leaf, uint32_t bit) const {
    if (is_filled(leaf)) return static_cast<int>(material_of(leaf));
    if (!is_pointer(leaf)) return dag::kEmptyVoxel;
    const hash::ItemRef item = store.item(leaf);
    if ((dag::leaf_mask(item) >> bit & 1) == 0) return dag::kEmptyVoxel;
    return materials ? static_cast<int>(dag::leaf_material(item, bit)) : 0;
  }
};

// Reads the voxels of a leaf one after the other, in Morton order.
class LeafVoxelReader {
 public:
  VOX_HD LeafVoxelReader(const StoredDag& dag, Content leaf) {
    if (is_filled(leaf)) {
      mask_ = UINT64_MAX;
      material_ = static_cast<int>(material_of(leaf));
    } else if (is_pointer(leaf)) {
      const hash::ItemRef item = dag.store.item(leaf);
      mask_ = dag::leaf_mask(item);
      if (dag.materials) materials_ = dag::leaf_materials(item);
    }
  }

  // Returns the next voxel's material, or kEmptyVoxel.
  VOX_HD int next() {
    const bool filled = (mask_ & 1) != 0;
    mask_ >>= 1;
    if (!filled) return dag::kEmptyVoxel;
    if (!materials_) return material_;
    return static_cast<int>(dag::ranked_material(materials_, rank_++));
  }

 private:
  uint64_t mask_ = 0;  // the voxels that have not been read yet
  const uint32_t* materials_ = nullptr;
  int material_ = 0;
  uint32_t rank_ = 0;
};

// Blocks are cubes of the grid that do not overlap, each with the size of some octree level. They stand in
// Morton order, and a binary search finds those that meet a cube.

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

  // Returns those blocks of the range that lie inside the cube, or the one that contains the cube.
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
