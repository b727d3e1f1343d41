// The results that the threads of a build report to the host.
#pragma once

#include "libvox/device/atomics.h"
#include "libvox/hash/keyed/cell.h"

namespace vox::hash {

struct KeyBuildStatus {
  uint32_t failed;       // 1 if some key found no place
  uint32_t conflicts;    // 1 if a key came with two values
  uint32_t twice;        // 1 if a key may be stored in two places
  uint32_t most_probes;  // the most that any key needs
  uint64_t copies;       // cells that came again
  uint64_t restarts;     // restarts of parts of the table
  uint64_t sectors;      // sectors touched, if they are counted
  uint64_t apart;        // 1 + the value of the key that is kept apart, 0 if there is none
};
static_assert(sizeof(KeyBuildStatus) == 48);

// Stores the value of the key that is all ones.
VOX_HD inline void keep_apart(KeyBuildStatus* status, uint64_t value) {
  const uint64_t before = device::atomic_exchange_if_relaxed(&status->apart, uint64_t{0}, value + 1);
  if (before == value + 1) device::atomic_add(&status->copies, uint64_t{1});
  if (before != 0 && before != value + 1) device::atomic_or_relaxed(&status->conflicts, 1u);
}

// Reports how many places the search for a key reads.
VOX_HD inline void note_probes(KeyBuildStatus* status, uint32_t probes) {
  if (probes > device::atomic_load_relaxed(&status->most_probes))
    device::atomic_max(&status->most_probes, probes);
}

// Reports that a cell came again, or that its key has two values.
template <CellWord Cell>
VOX_HD void note_copy(KeyBuildStatus* status, Cell stored, Cell cell) {
  if (stored == cell)
    device::atomic_add(&status->copies, uint64_t{1});
  else
    device::atomic_or_relaxed(&status->conflicts, 1u);
}

}  // namespace vox::hash
