// A list to which all threads of a loop add at once.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/device/atomics.h"

namespace vox::hash {

// The list has several parts, each for a part of the loop, since atomics on one word wait for each other; all
// lie in one array. A loop over all() places, which lie in the parts by turns, 32 at a time, meets every entry.
struct PartedList {
  static constexpr uint32_t kParts = 8;

  struct alignas(128) Count {
    uint32_t entries;
  };
  uint32_t* entries;
  Count* counts;  // of each part
  uint32_t room;  // of each part

  // How many entries the array has for loops over n items.
  VOX_HD static uint64_t all(uint64_t n) { return (n + 32 * kParts - 1) / (32 * kParts) * (32 * kParts); }
  VOX_HD static PartedList of(uint32_t* entries, Count* counts, uint64_t n) {
    return {entries, counts, static_cast<uint32_t>(all(n) / kParts)};
  }

  VOX_HD static uint32_t part(uint64_t i) { return static_cast<uint32_t>(i / 32 % kParts); }
  // Takes a place for what iteration i adds; returns its index in the array.
  VOX_HD uint32_t take(uint64_t i) const {
    return part(i) * room + device::atomic_count_together(&counts[part(i)].entries);
  }
  // Where the place with this number is, and where its part ends. From there on are no entries.
  VOX_HD uint32_t place(uint64_t i) const {
    return part(i) * room + static_cast<uint32_t>(i / (32 * kParts) * 32 + i % 32);
  }
  VOX_HD uint32_t end(uint64_t i) const { return part(i) * room + counts[part(i)].entries; }
};

}  // namespace vox::hash
