// A spatial hash of a scene, on the host: a cell for each filled voxel, its key and its material, in the table
// `lines` (hash/keyed/lines.h). Where a cell lies follows from the cells alone, so that the words are the
// same whatever device has made them; they are what files hold.
#pragma once

#include <cstdint>

#include "libvox/base/words.h"
#include "libvox/hash/keyed/cell.h"
#include "libvox/spatial/key_layout.h"

namespace vox::spatial {

inline constexpr uint32_t kMostProbes = 64;   // of a search
inline constexpr uint32_t kMaterialBits = 4;  // of a cell, below its key; 0 without materials
// The key that is kept apart is that of the voxel in the far corner of a scene of 2^20 voxels a side.
inline constexpr hash::CellFormat<uint64_t> kCellFormat = {kMaterialBits};

struct FrozenHash {
  VoxelKeys keys;
  bool materials = true;   // whether cells hold them
  double load_factor = 0;  // that was asked for
  uint64_t voxels = 0;     // filled ones
  uint64_t lines = 0;
  uint64_t seed = 0;
  uint32_t probes = 0;  // how many buckets a search looks at, at most
  uint32_t apart = 0;   // 1: the last cell holds the voxel whose key is all ones
  LongWords cells;      // those of the lines one behind the other, and the one that is kept apart

  uint32_t resolution() const { return keys.resolution; }
  uint64_t bytes() const { return cells.size() * sizeof(uint64_t); }
};

// Calls body(slot, cell) for all slots that hold a cell, the one that is kept apart included, in ascending
// order of those from `begin` to `end`.
template <class Body>
void for_each_cell(const FrozenHash& hash, uint64_t begin, uint64_t end, const Body& body) {
  for (uint64_t slot = begin; slot < end; ++slot) {
    const bool filled =
        slot + 1 == hash.cells.size() ? hash.apart != 0 : hash.cells[slot] != hash::kEmptyCell<uint64_t>;
    if (filled) body(slot, hash.cells[slot]);
  }
}

// Checks everything that searches and walks over the cells rely on: sizes, and that each cell is a voxel of
// the grid. Throws Error.
void check_structure(const FrozenHash& hash);

// Brings the cells of every bucket in the order that tells searches when to end (hash::BucketCells), as a build
// leaves them. The last cell of a bucket is the one of least precedence already.
void tell_turns(FrozenHash& hash);

}  // namespace vox::spatial
