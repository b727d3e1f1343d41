// The layout of the table `sector`. Items lie whole and dense, with nothing between them, in runs that each
// belong to one bucket. The data that leads to the items is stored apart from them, and is so small that
// caches hold much of it. A bucket is one line of 128 bytes, which a GPU's memory reads at random at little
// more than the cost of 32. The few buckets with more than 112 items have a list of single sectors behind the
// line.
//
//   line      words 0–27   112 one-byte fingerprints; 0: the slot is free
//             words 28, 29 pointers to the first items of two runs
//             word 30      the bucket's first overflow sector, or 0
//             word 31      bits 0–7 where the first run's slots end, bits 8–15 where the second's do,
//                          bits 16–23 where the free slots behind the last item begin, bits 24–31 how many
//                          slots before that have lost their items
//   overflow  words 0–4    20 fingerprints
//             word 5       as word 31 of a line; both ends are that of the only run
//             word 6       pointer to the first item of the run
//             word 7       the bucket's next overflow sector, or 0
//
// Slot s of a line is item s of the first run or, from the first run's end on, an item of the second run.
// Runs are whole granules. They are allocated when a batch of insertions needs them, and never move. The
// places of removed items stay with the bucket for its next items, unless their superblock is released; then
// the slots behind them close up. A superblock is one array of items, indexed by the lower bits of a pointer.
#pragma once

#include "libvox/hash/byte_match.h"
#include "libvox/hash/slab_memory.h"

namespace vox::hash {

inline constexpr uint32_t kNoSector = 0;  // the first sector is not used, so that zeroed memory has no links
inline constexpr uint32_t kGranule = 4;   // in items

struct SectorLine {
  static constexpr uint32_t kWords = 32, kSlots = 112, kRuns = 2;
  static constexpr uint32_t kRunWord = 28, kNextWord = 30, kEndsWord = 31;
};

struct SectorOverflow {
  static constexpr uint32_t kWords = 8, kSlots = 20, kRuns = 1;
  static constexpr uint32_t kRunWord = 6, kNextWord = 7, kEndsWord = 5;
};

inline constexpr uint32_t kLongestRun = SectorLine::kSlots;

// The contents of the ends word of a header: a line's word 31, or an overflow sector's word 5.
struct SlotEnds {
  uint32_t first_run, all, items, holes;

  VOX_HD static SlotEnds of(uint32_t word) {
    return {word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff, word >> 24};
  }
  VOX_HD uint32_t word() const { return first_run | all << 8 | items << 16 | holes << 24; }
  VOX_HD uint32_t runs() const { return all == 0 ? 0 : first_run == all ? 1 : 2; }
};

// Returns the pointer to the item of a slot.
template <class Kind>
VOX_HD uint32_t slot_pointer(const uint32_t* header, uint32_t slot) {
  const uint32_t first_end = SlotEnds::of(header[Kind::kEndsWord]).first_run;
  return slot < first_end ? header[Kind::kRunWord] + slot : header[Kind::kRunWord + 1] + slot - first_end;
}

// Returns the number of slots of a new run, in whole granules. The run begins behind `used` slots and is for
// `needed` items. A header cannot get a further run after its last one, so the last run has room for `spare`
// more items.
template <class Kind>
VOX_HD uint32_t run_length(uint32_t needed, uint32_t used, uint32_t run, uint32_t spare) {
  const uint32_t room = Kind::kSlots - used, wanted = needed + (run + 1 == Kind::kRuns ? spare : 0);
  const uint32_t rounded = (wanted + kGranule - 1) / kGranule * kGranule;
  return rounded < room ? rounded : room;
}

}  // namespace vox::hash
