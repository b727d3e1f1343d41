// Sparse roots of bricks (GroupsRef), which have entries only where something is filled.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"

namespace vox::bricks {

// BrickRoot::Auto takes a sparse root if a dense one would have more entries than this, which take 64 MiB.
inline constexpr uint64_t kMostDenseEntries = uint64_t{1} << 24;

// Returns the number of levels of groups in a volume's root, 0 if it is dense. A side of 0 means the largest tried.
uint32_t group_levels(Int3 size, uint32_t log2_side, BrickRoot root);
// Returns how many of the largest groups there are along each axis.
Int3 group_grid(Int3 size, uint32_t log2_side, uint32_t levels);

// Returns log2 of the side for a scene's bricks if the options leave it open: 3, since bricks of 8³ share most, if
// even the root of the largest bricks tried would be sparse; otherwise 0, so that all sides are tried.
uint32_t scene_brick_log2(const dag::FrozenDag& dag, const BricksOptions& options);

// The parts of a group: a number each, or 0 if nothing in the part is filled.
using GroupParts = std::array<uint32_t, GroupBlock::kParts>;

// Returns the block of a group whose filled parts begin at `first` in the list of the level, and calls list(number) for
// them in order.
template <class F>
GroupBlock make_block(const GroupParts& parts, uint32_t first, const F& list) {
  GroupBlock block = {};
  block.first = first;
  uint16_t filled = 0;
  for (uint32_t part = 0; part < GroupBlock::kParts; ++part) {
    if (part % 64 == 0) block.before[part / 64] = filled;
    if (parts[part] == 0) continue;
    block.masks[part / 32] |= 1u << part % 32;
    ++filled;
    list(parts[part]);
  }
  return block;
}

// Makes blocks of groups, from the smallest groups up.
class GroupsAssembly {
 public:
  explicit GroupsAssembly(uint32_t levels);

  // Adds a block to this level. Its parts are the numbers of smaller groups or, on the last level, any numbers; the
  // caller then appends the entries of these bricks to the root, in the order of the parts. Returns the block's number.
  // If nothing in it is filled, adds no block and returns 0.
  uint32_t add(uint32_t level, const GroupParts& parts);
  RootGroups take(Words top);

 private:
  RootGroups result_;
  uint64_t entries_ = 0;
};

// Throws Error unless the number of the root's words fits the size of entries and, for a dense root, the grid.
void check_entry_words(const FrozenBricks& bricks);
// Throws Error unless access through the groups stays inside them and inside the root.
void check_groups(const FrozenBricks& bricks);

// A brick of a sparse root: one of its entries, and how often it occurs in the volume, counted over all its entries.
struct BrickUse {
  uint64_t entry = 0, times = 0;
};
// Returns all bricks of a sparse root that are not empty, each once, by type and place.
std::vector<BrickUse> brick_uses(const FrozenBricks& bricks);
// Returns the number of words of the brick of each entry. Entries may share bricks.
std::vector<uint64_t> shared_brick_words(const FrozenBricks& bricks);

// Calls visit(box), in bricks, for groups in which something is filled. They are the largest groups of at most this
// many bricks a side, or the smallest groups if all are larger.
void for_each_group(const FrozenBricks& bricks, int32_t most_side,
                    const std::function<void(const VoxelBox&)>& visit);
// True if the root alone shows that nothing in this box of the volume is filled.
bool is_known_empty(const FrozenBricks& bricks, const VoxelBox& box);

// Return the same bricks with another root. A dense root repeats bricks that occur several times. Throws
// OutOfMemory if the machine has not enough memory.
FrozenBricks with_dense_root(const FrozenBricks& bricks);
FrozenBricks with_sparse_root(const FrozenBricks& bricks);

}  // namespace vox::bricks
