// Removing items from hash tables: what garbage collection does once it knows which items are reachable. The
// tables' call sweep(marks) keeps the items whose pointer has its bit in `marks`, bit p % 32 of word p / 32
// for each p < pointer_range(), which is one word a slab; bits where no item lies are of no effect.
// Afterwards the others are not found any more; those that are kept have not moved. The places of removed
// items are used again by later insertions; superblocks without a marked pointer go back to the system, and
// their numbers may come again.
#pragma once

#include <cstdint>

#include "libvox/device/pool.h"

namespace vox::hash {

struct SweepResult {
  uint64_t items_removed = 0;
  uint64_t bytes_returned = 0;
};

// Sees to it that what the pool got back leaves the process.
inline SweepResult end_sweep(device::Pool& pool, uint64_t items_removed, uint64_t used_before) {
  const uint64_t used = pool.used(), returned = used_before > used ? used_before - used : 0;
  if (returned > 0) pool.trim();
  return {items_removed, returned};
}

}  // namespace vox::hash
