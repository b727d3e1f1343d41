// Removal of items from hash tables, after a collection has found which items can be reached. The tables'
// function sweep(marks) keeps each item whose pointer p has its bit in `marks`: bit p % 32 of the word p /
// 32, for each p < pointer_range(), which is one word for each slab. Bits without an item have no effect.
// Afterwards the other items are no longer found, and the kept ones have not moved. Later insertions use the
// places of removed items again. Superblocks without a marked pointer are returned to the system, and their
// numbers may be used again.
#pragma once

#include <cstdint>

#include "libvox/device/pool.h"

namespace vox::hash {

struct SweepResult {
  uint64_t items_removed = 0;
  uint64_t bytes_returned = 0;
};

// Gives the memory that the pool got back to the system. Returns the results of the sweep.
inline SweepResult end_sweep(device::Pool& pool, uint64_t items_removed, uint64_t used_before) {
  const uint64_t used = pool.used(), returned = used_before > used ? used_before - used : 0;
  if (returned > 0) pool.trim();
  return {items_removed, returned};
}

}  // namespace vox::hash
