// A list to which all threads of a loop add entries concurrently.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/device/atomics.h"

namespace vox::hash {

// The list has several parts, each for a part of the loop, because atomics on one word wait for each other.
// All parts lie in one array. A loop over all() places meets every entry; 32 successive places lie in one
// part, the next 32 in the next part.
struct PartedList {
  static constexpr uint32_t kParts = 8;

  struct alignas(128) Count {
    uint32_t entries;
  };
  uint32_t* entries;
  Count* counts;  // number of entries of each part
  uint32_t room;  // capacity of each part

  // Returns how many entries the array needs for loops over n items.
  VOX_HD static uint64_t all(uint64_t n) { return (n + 32 * kParts - 1) / (32 * kParts) * (32 * kParts); }
  VOX_HD static PartedList of(uint32_t* entries, Count* counts, uint64_t n) {
    return {entries, counts, static_cast<uint32_t>(all(n) / kParts)};
  }

  VOX_HD static uint32_t part(uint64_t i) { return static_cast<uint32_t>(i / 32 % kParts); }
  // Takes a place for an entry that iteration i adds, and returns its index in the array.
  VOX_HD uint32_t take(uint64_t i) const {
    return part(i) * room + device::atomic_count_together(&counts[part(i)].entries);
  }
  // place(i) is the index of the i-th place, and end(i) the end of the entries in that place's part. There is
  // no entry from end(i) on.
  VOX_HD uint32_t place(uint64_t i) const {
    return part(i) * room + static_cast<uint32_t>(i / (32 * kParts) * 32 + i % 32);
  }
  VOX_HD uint32_t end(uint64_t i) const { return part(i) * room + counts[part(i)].entries; }
};

}  // namespace vox::hash
