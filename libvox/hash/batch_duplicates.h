// Finds duplicates inside a batch. For every item it finds the index of the item's leader. Equal items have
// the same leader, which is one of them. An item without words gets kNone. The leaders are found with an
// open-addressed table of item indices; the items themselves stay where they are.
#pragma once

#include <bit>

#include "libvox/base/bits.h"
#include "libvox/device/atomics.h"
#include "libvox/device/pool.h"
#include "libvox/hash/batch.h"

namespace vox::hash {

struct FindLeader {
  BatchRef batch;
  uint32_t* table;  // mask + 1 entries, kNone if empty
  uint64_t mask;
  uint32_t* leaders;
  static constexpr uint32_t kNone = UINT32_MAX;

  VOX_HD void prefetch(uint64_t i, int stage) const {
    const uint32_t* slot = table + (batch.hashes[i] & mask);
    if (stage == 0) {
      prefetch_line(slot);
    } else if (const uint32_t there = device::atomic_load_relaxed(slot); there != kNone) {
      prefetch_line(batch.hashes + there);
      if (batch.offsets) prefetch_line(batch.offsets + there);
    }
  }

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t size = batch.size(i);
    if (size == 0) {
      leaders[i] = kNone;
      return;
    }
    for (uint64_t slot = batch.hashes[i] & mask;; slot = (slot + 1) & mask) {
      uint32_t there = device::atomic_load_relaxed(table + slot);
      if (there == kNone)
        there = device::atomic_exchange_if_relaxed(table + slot, kNone, static_cast<uint32_t>(i));
      if (there == kNone) there = static_cast<uint32_t>(i);
      if (there == i || (batch.hashes[there] == batch.hashes[i] && batch.size(there) == size &&
                         same_words(batch.item(there), batch.item(i), size))) {
        leaders[i] = there;
        return;
      }
    }
  }
};

template <class Device>
void find_leaders(Device& device, const BatchRef& batch, uint64_t n, uint32_t* leaders) {
  const uint64_t size = std::bit_ceil(2 * n + 1);
  device::Buffer<uint32_t> table = device.template make<uint32_t>(size);
  device.fill(table.data(), size, FindLeader::kNone);
  device.for_each({"duplicates in the batch", 40}, n, FindLeader{batch, table.data(), size - 1, leaders});
}

}  // namespace vox::hash
