// Hybrid bricks (Labschütz, chapter 3): a volume cut into cubes, each in the form that takes the least
// memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "libvox/base/words.h"
#include "libvox/bricks/bricks_ref.h"
#include "libvox/volume/value_type.h"
#include "libvox/volume/volume.h"

namespace vox::bricks {

// Bricks as host memory and files hold them. They are the same no matter which device made them.
struct FrozenBricks {
  volume::VolumeInfo info;
  uint32_t background = 0;  // the bits of a voxel whose word is 0
  uint32_t log2_side = 3;
  uint32_t entry_words = 1;  // words of an entry of the root grid
  uint64_t filled = 0;       // voxels whose word is not 0
  Words root;                // entries, x fastest
  std::array<Words, kBrickTypeCount> data;
  std::array<uint64_t, kBrickTypeCount> counts = {};  // bricks of each type
  // The options with which the bricks were made, so that they can be made again: the types that a brick could
  // have, and, if some were made dense for speed (measure/make_bricks.h), how much memory that was worth.
  uint32_t allowed_types = kAllBrickTypes;
  std::optional<double> slope;

  BrickShape shape() const { return {log2_side}; }
  Int3 grid() const;  // bricks along each axis
  uint64_t bricks() const { return VoxelBox{{0, 0, 0}, grid()}.voxels(); }
  uint64_t bytes() const;  // the bytes of everything that access needs
  uint64_t type_bytes(uint32_t type) const { return data[type].size() * sizeof(uint32_t); }
};

// Sets the root grid of bricks whose data are complete. An entry has 4 bits of type and the place above them.
// Entries are packed to one word or two, as the longest array needs.
void set_root(FrozenBricks& bricks, const std::vector<uint64_t>& entries);

BricksRef ref(const FrozenBricks& bricks);  // valid as long as the bricks live

// Returns the number of bricks of this side along each axis of a volume. The last ones may extend beyond it.
Int3 brick_grid(Int3 size, uint32_t log2_side);

// Returns the values of the bricks as a volume. The bricks must outlive it.
volume::Volume bricks_volume(const FrozenBricks& bricks);

// Checks everything on which access relies to stay inside the data. Throws Error.
void check_structure(const FrozenBricks& bricks);

}  // namespace vox::bricks
