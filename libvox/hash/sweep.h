// Removing items from hash tables: what a collection does once it knows which items can be reached. The
// tables' call sweep(marks) keeps the items whose pointer p has its bit in `marks`: bit p % 32 of the word
// p / 32, for each p < pointer_range(), which is one word for each slab. Bits where no item lies do nothing.
// Afterwards the other items are not found any more; those that are kept have not moved. Later insertions use
// the places of removed items again; superblocks without a marked pointer go back to the system, and their
// numbers may come again.
#pragma once

#include <cstdint>

#include "libvox/device/pool.h"

namespace vox::hash {

struct SweepResult {
  uint64_t items_removed = 0;
  uint64_t bytes_returned = 0;
};

// Gives the memory that the pool got back to the system, and returns what the sweep has done.
inline SweepResult end_sweep(device::Pool& pool, uint64_t items_removed, uint64_t used_before) {
  const uint64_t used = pool.used(), returned = used_before > used ? used_before - used : 0;
  if (returned > 0) pool.trim();
  return {items_removed, returned};
}

}  // namespace vox::hash
