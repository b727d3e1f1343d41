// Sparse roots of bricks (GroupsRef), which have entries only where something is filled.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"

namespace vox::bricks {

// BrickRoot::Auto takes a sparse root where a dense one would have more entries. So many take 64 MiB.
inline constexpr uint64_t kMostDenseEntries = uint64_t{1} << 24;

// Returns the levels of groups that a volume's root has: 0 if it is dense. A side of 0 stands for the largest that is tried.
uint32_t group_levels(Int3 size, uint32_t log2_side, BrickRoot root);
// Returns how many of the largest groups there are along each axis.
Int3 group_grid(Int3 size, uint32_t log2_side, uint32_t levels);

// Returns the side of a scene's bricks if it is to be chosen: 8 voxels, which share most, if not even the root of the
// largest bricks that are tried would be dense; else 0, so that all sides are tried.
uint32_t scene_brick_log2(const dag::FrozenDag& dag, const BricksOptions& options);

// Returns the words that each entry needs for the places in these bricks' arrays.
uint32_t entry_words_for(const FrozenBricks& bricks);

// Makes blocks of groups, from the smallest groups up.
class GroupsAssembly {
 public:
  using Parts = std::array<uint32_t, GroupBlock::kParts>;

  explicit GroupsAssembly(uint32_t levels);

  // Adds a block of this level. The parts are 0 where nothing is filled, else the numbers of smaller groups or, on the
  // last level, any numbers: the caller then appends the entries of these bricks to the root, in the order of the parts.
  // Returns the block's number: 0, and no block, if nothing in it is filled.
  uint32_t add(uint32_t level, const Parts& parts);
  RootGroups take(Words top);

 private:
  RootGroups result_;
  uint64_t entries_ = 0;
};

// Throws Error unless the words of the root agree with the size of an entry and, of a dense one, with the grid.
void check_entry_words(const FrozenBricks& bricks);
// Throws Error unless access through the groups stays inside them and inside the root.
void check_groups(const FrozenBricks& bricks);

// A brick of a sparse root: an entry that names it, and how often it occurs in the volume, by this entry or by others.
struct BrickUse {
  uint64_t entry = 0, times = 0;
};
// Returns all bricks of a sparse root that are not empty, each once, by type and place.
std::vector<BrickUse> brick_uses(const FrozenBricks& bricks);
// Returns the number of words of the brick of each entry. Entries may share bricks.
std::vector<uint64_t> shared_brick_words(const FrozenBricks& bricks);

// Calls visit(corner) with the place in the grid of bricks of each smallest group in which something is filled.
void for_each_group(const FrozenBricks& bricks, const std::function<void(Int3)>& visit);
// True if the root alone tells that nothing in this box of the volume is filled.
bool is_known_empty(const FrozenBricks& bricks, const VoxelBox& box);

// Return the same bricks with another root. A dense root repeats bricks that occur several times. Throws OutOfMemory
// where the machine has no memory for it.
FrozenBricks with_dense_root(const FrozenBricks& bricks);
FrozenBricks with_sparse_root(const FrozenBricks& bricks);

}  // namespace vox::bricks
