// Plans where the items of a sorted batch go. One thread for each bucket counts what its new items need
// (BucketNeeds). From the prefix sums of these needs, a second loop gives each bucket its runs and sectors,
// changes its headers, and decides the place of every item (PlanBuckets). WriteItems (write_items.h) carries
// out the plan.
#pragma once

#include <type_traits>

#include "libvox/hash/sector/fill.h"
#include "libvox/hash/sector/sorted_batch.h"

namespace vox::hash {

// The places to which the new items of a bucket go, in their sorted order: first to the places of removed
// items, then to the line's slots from `slot` on, in one run or two, then to overflow sectors.
struct alignas(16) BucketPlan {
  uint32_t first;                 // 4 B, index of the sorted item that goes to `slot`
  uint32_t pointer = 0;           // 4 B, pointer of that item
  uint32_t pointer2 = 0;          // 4 B, pointer of the first item of the second run
  uint8_t slot = 0;               // 1 B
  uint8_t count = 0, count2 = 0;  // 1 B each, number of items for the first and the second run
  uint8_t unused = 0;             // 1 B
};
static_assert(sizeof(BucketPlan) == 16);

// An item's slot in the line, or its overflow_slot(), and the item's pointer.
struct SectorPlace {
  uint32_t slot, pointer;  // 4 B each
};

// A sink for fill_bucket() that makes the plan and changes the headers, except their fingerprints.
struct TakePlaces {
  const SectorSpaces& spaces;
  const SectorSpace& space;
  uint64_t offset;       // where the next run begins among the places that the batch needs
  uint32_t next_sector;  // the next of the sectors that the batch needs
  uint32_t* overflow;
  SectorPlace* places;  // the place of the next item
  BucketPlan plan;

  template <class Kind>
  VOX_HD void run(uint32_t* header, uint32_t run, uint32_t length) {
    header[Kind::kRunWord + run] = space.place(offset, length);
    offset += length;
  }
  // fill() is called at most twice for a line, because a line has at most two runs.
  template <class Kind>
  VOX_HD void fill(uint32_t* header, const SlotEnds& ends, uint32_t first, uint32_t slot_base,
                   uint32_t count) {
    header[Kind::kEndsWord] = ends.word();
    const uint32_t pointer = slot_pointer<Kind>(header, first);
    if constexpr (std::is_same_v<Kind, SectorLine>) {
      const bool second = plan.count > 0;
      if (!second) plan.slot = static_cast<uint8_t>(first);
      (second ? plan.pointer2 : plan.pointer) = pointer;
      (second ? plan.count2 : plan.count) = static_cast<uint8_t>(count);
      places += count;
    } else {
      for (uint32_t i = 0; i < count; ++i) *places++ = {slot_base + first + i, pointer + i};
    }
  }
  template <class Kind>
  VOX_HD void fill_holes(uint32_t* header, const SlotEnds& ends, uint32_t slot_base, uint32_t count) {
    header[Kind::kEndsWord] = ends.word();
    SlotMask holes = match_bytes<Kind::kSlots>(header, 0);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t slot = holes.take_lowest();
      *places++ = {slot_base + slot, slot_pointer<Kind>(header, slot)};
    }
    if constexpr (std::is_same_v<Kind, SectorLine>) plan.first += count;
  }
  VOX_HD uint32_t new_sector(uint32_t* link) {
    return *link = cleared_sector(spaces, next_sector++, overflow);
  }
};

struct BucketNeeds {
  BucketRuns runs;
  SectorSpaces spaces;
  uint32_t* overflow;
  uint64_t* needs;
  VOX_HD void prefetch(uint64_t r, int stage) const { runs.prefetch(spaces, r, stage); }
  VOX_HD void operator()(uint64_t r) const {
    const SectorSpace& space = spaces[runs.size(r)];
    CountNeeds sink;
    fill_bucket(runs.line(space, r), overflow, runs.end(r) - runs.begin(r), space.spare, sink);
    needs[r] = sink.needs;
  }
};

struct ReadNeeds {
  const uint64_t* needs;
  VOX_HD uint64_t operator()(uint64_t r) const { return needs[r]; }
};

// Finds, for each item size, what the buckets of all smaller sizes need.
struct NeedsBelowSizes {
  BucketRuns runs;
  std::array<uint64_t, kMaxItemWords + 2> first_item;  // index of each size's first sorted item
  const uint64_t* needs;                               // prefix sums
  uint64_t* needs_below;
  VOX_HD void operator()(uint64_t size) const {
    uint64_t low = 0, high = runs.count;
    while (low < high) {
      const uint64_t middle = (low + high) / 2;
      if (runs.starts[middle] < first_item[size])
        low = middle + 1;
      else
        high = middle;
    }
    needs_below[size] = needs[low];
  }
};

struct PlanBuckets {
  BucketRuns runs;
  SectorSpaces spaces;
  uint32_t* overflow;
  const uint64_t* needs;  // prefix sums
  BucketPlan* plans;
  SectorPlace* places;  // for each sorted item, but set only if its bucket's plan does not cover it
  VOX_HD void prefetch(uint64_t r, int stage) const { runs.prefetch(spaces, r, stage); }
  VOX_HD void operator()(uint64_t r) const {
    const SectorSpace& space = spaces[runs.size(r)];
    const uint64_t before = needs[r] - space.granules_below;
    const uint32_t first = runs.begin(r);
    TakePlaces sink = {.spaces = spaces,
                       .space = space,
                       .offset = before % kOneSectorNeeded * kGranule,
                       .next_sector = static_cast<uint32_t>(before / kOneSectorNeeded),
                       .overflow = overflow,
                       .places = places + first,
                       .plan = {.first = first}};
    fill_bucket(runs.line(space, r), overflow, runs.end(r) - first, space.spare, sink);
    plans[r] = sink.plan;
  }
};

}  // namespace vox::hash
