// Hybrid bricks (Labschütz, chapter 3): a volume cut into cubes, each in the form that takes least memory.
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

// Bricks as host memory and files hold them; they are the same whatever device has made them.
struct FrozenBricks {
  volume::VolumeInfo info;
  uint32_t background = 0;  // the bits of a voxel whose word is 0
  uint32_t log2_side = 3;
  uint32_t entry_words = 1;  // of the root grid
  uint64_t filled = 0;       // voxels whose word is not 0
  Words root;                // entries, x fastest
  std::array<Words, kBrickTypeCount> data;
  std::array<uint64_t, kBrickTypeCount> counts = {};  // bricks of each type
  // How the bricks were made, so that they can be made again: the types that a brick could have, and, where
  // some were made dense for speed (measure/make_bricks.h), how much memory that was worth.
  uint32_t allowed_types = kAllBrickTypes;
  std::optional<double> slope;

  BrickShape shape() const { return {log2_side}; }
  Int3 grid() const;  // bricks along each axis
  uint64_t bricks() const { return VoxelBox{{0, 0, 0}, grid()}.voxels(); }
  uint64_t bytes() const;  // of all that access needs
  uint64_t type_bytes(uint32_t type) const { return data[type].size() * sizeof(uint32_t); }
};

// Sets the root grid of bricks whose data are complete. An entry has 4 bits of type and the place above them;
// entries are packed to one word or two, as the longest array needs.
void set_root(FrozenBricks& bricks, const std::vector<uint64_t>& entries);

BricksRef ref(const FrozenBricks& bricks);  // valid as long as the bricks live

// How many bricks of this side there are along each axis of a volume; the last ones may stand out.
Int3 brick_grid(Int3 size, uint32_t log2_side);

// The values of the bricks, as a volume again. The bricks outlive it.
volume::Volume bricks_volume(const FrozenBricks& bricks);

// Checks everything that access relies on to stay inside the data. Throws Error.
void check_structure(const FrozenBricks& bricks);

}  // namespace vox::bricks
