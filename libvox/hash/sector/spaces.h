// The places from which the new runs and overflow sectors of a batch are taken. The host has made sure that
// there are enough. Each bucket takes its part at an offset that comes from a prefix sum or an atomic
// counter.
#pragma once

#include "libvox/hash/batch.h"
#include "libvox/hash/sector/layout.h"

namespace vox::hash {

// The slots of overflow sectors are numbered after those of lines.
inline constexpr uint32_t kSlotsBeforeOverflow =
    (SectorLine::kSlots + SectorOverflow::kSlots - 1) / SectorOverflow::kSlots;
inline constexpr uint32_t kMaxOverflowSectors = UINT32_MAX / SectorOverflow::kSlots - kSlotsBeforeOverflow;
VOX_HD inline uint32_t overflow_slot(uint32_t sector, uint32_t slot) {
  return (kSlotsBeforeOverflow + sector) * SectorOverflow::kSlots + slot;
}

// The buckets of one item size, and the places from which they take new runs. Offsets count the items of this
// size in this batch.
struct SectorSpace {
  uint32_t* lines = nullptr;
  uint32_t first_bucket = 0;
  uint32_t spare = 0;           // number of items that a bucket is expected to get later
  uint64_t granules_below = 0;  // granules that all smaller sizes need
  uint64_t fits = 0;            // offsets below this go behind `old_place`, the others behind `new_place`
  uint32_t old_place = 0, new_place = 0;

  VOX_HD uint32_t place(uint64_t offset, uint32_t length) const {
    if (offset + length <= fits) return old_place + static_cast<uint32_t>(offset);
    if (offset < fits) return new_place;  // for the one run that would be cut; there is room for it
    return new_place + kLongestRun + static_cast<uint32_t>(offset - fits);
  }
};
struct SectorSpaces {
  SectorSpace of_size[kMaxItemWords + 1];
  // Overflow sectors for all sizes: first those that a sweep has freed, then some that were never used.
  const uint32_t* left_sectors = nullptr;
  uint32_t left_count = 0, first_sector = 0;

  VOX_HD const SectorSpace& operator[](uint32_t words) const { return of_size[words]; }
  VOX_HD uint32_t sector(uint32_t i) const {
    return i < left_count ? left_sectors[i] : first_sector + (i - left_count);
  }
};

// Clears the i-th of the sectors that a batch takes, and returns its number.
VOX_HD inline uint32_t cleared_sector(const SectorSpaces& spaces, uint32_t i, uint32_t* overflow) {
  const uint32_t number = spaces.sector(i);
  uint32_t* sector = overflow + uint64_t{number} * SectorOverflow::kWords;
  for (uint32_t word = 0; word < SectorOverflow::kWords; ++word) sector[word] = 0;
  return number;
}

}  // namespace vox::hash
