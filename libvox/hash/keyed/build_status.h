// What the threads of a build tell the host in the end.
#pragma once

#include "libvox/device/atomics.h"
#include "libvox/hash/keyed/cell.h"

namespace vox::hash {

struct KeyBuildStatus {
  uint32_t failed;       // 1: some key found no place
  uint32_t conflicts;    // 1: a key came with two values
  uint32_t twice;        // 1: a key may be stored in two places
  uint32_t most_probes;  // of any key
  uint64_t copies;       // cells that came again
  uint64_t restarts;     // of parts of the table
  uint64_t sectors;      // that were touched, where they are counted
  uint64_t apart;        // 1 + the value of the key that is kept apart, 0: there is none
};
static_assert(sizeof(KeyBuildStatus) == 48);

// Keeps the value of the key that is all ones.
VOX_HD inline void keep_apart(KeyBuildStatus* status, uint64_t value) {
  const uint64_t before = device::atomic_exchange_if_relaxed(&status->apart, uint64_t{0}, value + 1);
  if (before == value + 1) device::atomic_add(&status->copies, uint64_t{1});
  if (before != 0 && before != value + 1) device::atomic_or_relaxed(&status->conflicts, 1u);
}

// Says how many places the search for a key looks at.
VOX_HD inline void note_probes(KeyBuildStatus* status, uint32_t probes) {
  if (probes > device::atomic_load_relaxed(&status->most_probes))
    device::atomic_max(&status->most_probes, probes);
}

// Says that a cell came again, or that its key has two values.
template <CellWord Cell>
VOX_HD void note_copy(KeyBuildStatus* status, Cell stored, Cell cell) {
  if (stored == cell)
    device::atomic_add(&status->copies, uint64_t{1});
  else
    device::atomic_or_relaxed(&status->conflicts, 1u);
}

}  // namespace vox::hash
