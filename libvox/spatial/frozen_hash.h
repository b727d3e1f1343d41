// A scene's spatial hash on the host: the table `lines` (hash/keyed/lines.h) with a cell for each filled
// voxel, which holds the voxel's key and its material. The place of a cell depends on the set of cells alone,
// so the words are the same whatever device has built them. Files hold these words.
#pragma once

#include <cstdint>

#include "libvox/base/words.h"
#include "libvox/hash/keyed/cell.h"
#include "libvox/spatial/key_layout.h"

namespace vox::spatial {

inline constexpr uint32_t kMostProbes = 64;   // the most buckets that a search reads
inline constexpr uint32_t kMaterialBits = 4;  // bits of a cell below its key; 0 in a scene without materials
// The key that the table keeps apart belongs to the voxel in the far corner of a scene of 2^20 voxels a side.
inline constexpr hash::CellFormat<uint64_t> kCellFormat = {kMaterialBits};

struct FrozenHash {
  VoxelKeys keys;
  bool materials = true;   // true if the cells hold materials
  double load_factor = 0;  // the one that the caller asked for
  uint64_t voxels = 0;     // the number of filled voxels
  uint64_t lines = 0;
  uint64_t seed = 0;
  uint32_t probes = 0;  // the most buckets that a search reads
  uint32_t apart = 0;   // 1 if the last cell holds the voxel whose key is all ones, else 0
  LongWords cells;      // the cells of all lines in order, then the one that is kept apart

  uint32_t resolution() const { return keys.resolution; }
  uint64_t bytes() const { return cells.size() * sizeof(uint64_t); }
};

// Calls body(slot, cell) for each slot from `begin` to before `end` that holds a cell, in ascending order.
// The last slot is the one of the cell that is kept apart.
template <class Body>
void for_each_cell(const FrozenHash& hash, uint64_t begin, uint64_t end, const Body& body) {
  for (uint64_t slot = begin; slot < end; ++slot) {
    const bool filled =
        slot + 1 == hash.cells.size() ? hash.apart != 0 : hash.cells[slot] != hash::kEmptyCell<uint64_t>;
    if (filled) body(slot, hash.cells[slot]);
  }
}

// Checks everything that searches and walks over the cells rely on: the sizes, and that each cell is a voxel
// of the grid. Throws Error.
void check_structure(const FrozenHash& hash);

// Orders the cells of every bucket in the way that tells searches when to end (hash::BucketCells), as a build
// does. The last cell of each full bucket must already be the one of least precedence.
void tell_turns(FrozenHash& hash);

}  // namespace vox::spatial
