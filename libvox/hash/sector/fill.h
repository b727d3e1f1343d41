// The walk that fills a bucket with new items. With different sinks, the same walk counts what the items
// need, plans where they go, or writes them. This is a bucket after three batches, with items a, b and c, of
// which two b have been removed since:
//
//   line        slots      aaaaaabb bb·b·bcccccc           a  of the first batch     ·  a hole
//               runs       └ first┘ └─ second ─┘           _  free: a slot of the run without an item yet
//               ends word  first_run 8, all 20, items 20, holes 2
//                 │ next
//   overflow    slots      cc__                            a further run, for what the line's two do not hold
//               ends word  first_run 4, all 4, items 2, holes 0
//
// New items first take the holes, then the free slots of the last run. Then, if the header may have one more
// run, they get a new one of as many granules as they need. The rest goes to the next overflow sector.
#pragma once

#include "libvox/hash/sector/spaces.h"

namespace vox::hash {

// A bucket's needs for its new items: granules in the low half, overflow sectors in the high half.
inline constexpr uint64_t kOneSectorNeeded = uint64_t{1} << 32;

// Assigns up to `left` new items to a header's slots and returns how many are left over. The sink counts or
// does the work: sink.run() makes a new run, sink.fill() fills the `count` slots from `first` on, and
// sink.fill_holes() fills the first `count` holes. The latter two also store the header's new ends.
template <class Kind, class Sink>
VOX_HD uint32_t fill_header(uint32_t* header, uint32_t slot_base, uint32_t left, uint32_t spare, Sink& sink) {
  SlotEnds ends = SlotEnds::of(header[Kind::kEndsWord]);
  if (ends.holes > 0 && left > 0) {
    const uint32_t count = left < ends.holes ? left : ends.holes;
    ends.holes -= count;
    left -= count;
    sink.template fill_holes<Kind>(header, ends, slot_base, count);
  }
  while (left > 0) {
    if (ends.items == ends.all) {
      const uint32_t run = ends.runs();
      if (run == Kind::kRuns || ends.all == Kind::kSlots) break;
      const uint32_t length = run_length<Kind>(left, ends.all, run, spare);
      sink.template run<Kind>(header, run, length);
      ends.all += length;
      if (run == 0) ends.first_run = length;
    }
    const uint32_t run_end = ends.items < ends.first_run ? ends.first_run : ends.all;
    const uint32_t room = run_end - ends.items, count = left < room ? left : room, first = ends.items;
    ends.items += count;
    left -= count;
    sink.template fill<Kind>(header, ends, first, slot_base, count);
  }
  return left;
}

// Assigns all `left` new items to the slots of a bucket, first those of its line, then those of its overflow
// sectors. sink.new_sector(link) returns the number of an empty sector.
template <class Sink>
VOX_HD void fill_bucket(uint32_t* line, uint32_t* overflow, uint32_t left, uint32_t spare, Sink& sink) {
  left = fill_header<SectorLine>(line, 0, left, spare, sink);
  for (uint32_t* link = line + SectorLine::kNextWord; left > 0;) {
    const uint32_t number = *link != kNoSector ? *link : sink.new_sector(link);
    uint32_t* sector = overflow + uint64_t{number} * SectorOverflow::kWords;
    left = fill_header<SectorOverflow>(sector, overflow_slot(number, 0), left, spare, sink);
    link = sector + SectorOverflow::kNextWord;
  }
}

// A sink that counts what the new items need and changes nothing. If they need a further sector, it returns
// the one that always stays empty.
struct CountNeeds {
  uint64_t needs = 0;

  template <class Kind>
  VOX_HD void run(const uint32_t*, uint32_t, uint32_t length) {
    needs += length / kGranule;
  }
  template <class Kind>
  VOX_HD void fill(const uint32_t*, const SlotEnds&, uint32_t, uint32_t, uint32_t) {}
  template <class Kind>
  VOX_HD void fill_holes(const uint32_t*, const SlotEnds&, uint32_t, uint32_t) {}
  VOX_HD uint32_t new_sector(const uint32_t*) {
    needs += kOneSectorNeeded;
    return kNoSector;
  }
};

}  // namespace vox::hash
