// The layout of the table `sector` (below), and the search in it with one thread for each item.
#pragma once

#include "libvox/hash/batch.h"
#include "libvox/hash/slab/table_ref.h"
#include "libvox/hash/slab_memory.h"

namespace vox::hash {

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

// The content of a header's ends word, which is word 31 of a line or word 5 of an overflow sector.
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

// A generation: the buckets of one item size that were made at the same time. A table that outgrows its
// buckets gets a further generation for later items. Stored items stay where they are.
struct SectorBuckets {
  uint32_t* lines;  // 8 B
  uint32_t count;   // 4 B
  uint32_t first;   // 4 B, index of the first among the buckets of all sizes that get items

  VOX_HD uint32_t* line(uint64_t hash) const {
    return lines + uint64_t{bucket_of(hash, count)} * SectorLine::kWords;
  }
};
static_assert(sizeof(SectorBuckets) == 16);

// The trivially copyable view of a table, which kernel bodies capture.
struct SectorTableRef {
  static constexpr uint32_t kMaxGenerations = 8;

  SlabMemoryRef memory;
  const uint32_t* overflow;  // sectors
  uint32_t item_words;
  uint32_t generations;
  SectorBuckets buckets[kMaxGenerations];  // the last one gets insertions

  // Prefetches the lines that find() reads.
  VOX_HD void prefetch(uint64_t hash) const {
    for (uint32_t generation = 0; generation < generations; ++generation) {
      const uint32_t* line = buckets[generation].line(hash);
      prefetch_line(line);
      prefetch_line(line + 16);
    }
  }
  // Prefetches what these lines lead to: the items with the same fingerprint, and the first overflow sector.
  // An item that is not stored is searched for in all of them, and most lines have an item with its
  // fingerprint by chance.
  VOX_HD void prefetch_candidates(uint64_t hash) const {
    for (uint32_t generation = 0; generation < generations; ++generation) {
      const uint32_t* line = buckets[generation].line(hash);
      SlotMask same = match_bytes<SectorLine::kSlots>(line, byte_fingerprint(hash));
      while (same.any()) prefetch_line(item_at(slot_pointer<SectorLine>(line, same.take_lowest())));
      const uint32_t number = line[SectorLine::kNextWord];
      if (number != kNoSector) prefetch_line(overflow + uint64_t{number} * SectorOverflow::kWords);
    }
  }

  // Returns the pointer to the item, or kNullPointer.
  template <class Probe>
  VOX_HD uint32_t find(const uint32_t* item, uint64_t hash, Probe& probe) const {
    uint32_t found = kNullPointer;
    for (uint32_t generation = generations; generation-- > 0 && found == kNullPointer;) {
      const uint32_t* line = buckets[generation].line(hash);
      probe.touch(line, SectorLine::kWords * 4);
      SlotMask same = match_bytes<SectorLine::kSlots>(line, byte_fingerprint(hash));
      uint32_t false_candidates = 0;
      while (same.any() && found == kNullPointer) {
        found = check(slot_pointer<SectorLine>(line, same.take_lowest()), item, probe);
        if (found == kNullPointer) ++false_candidates;
      }
      probe.look(false_candidates);
      if (found == kNullPointer) found = find_in_overflow(line[SectorLine::kNextWord], item, hash, probe);
    }
    return found;
  }

  // Searches the overflow sectors of a bucket, beginning with sector `number`.
  template <class Probe>
  VOX_HD uint32_t find_in_overflow(uint32_t number, const uint32_t* item, uint64_t hash, Probe& probe) const {
    uint32_t found = kNullPointer;
    while (number != kNoSector && found == kNullPointer) {
      const uint32_t* sector = overflow + uint64_t{number} * SectorOverflow::kWords;
      probe.touch(sector, SectorOverflow::kWords * 4);
      SlotMask same = match_bytes<SectorOverflow::kSlots>(sector, byte_fingerprint(hash));
      uint32_t false_candidates = 0;
      while (same.any() && found == kNullPointer) {
        found = check(slot_pointer<SectorOverflow>(sector, same.take_lowest()), item, probe);
        if (found == kNullPointer) ++false_candidates;
      }
      probe.look(false_candidates);
      number = sector[SectorOverflow::kNextWord];
    }
    return found;
  }

  VOX_HD const uint32_t* item_at(uint32_t pointer) const {
    return memory.superblocks[pointer / kItemsPerSuperblock].slabs +
           uint64_t{pointer % kItemsPerSuperblock} * item_words;
  }

 private:
  // Returns the pointer if the wanted item is there, else kNullPointer.
  template <class Probe>
  VOX_HD uint32_t check(uint32_t pointer, const uint32_t* item, Probe& probe) const {
    const uint32_t* there = item_at(pointer);
    probe.touch(there, item_words * 4);
#ifdef __CUDA_ARCH__
    // All words are read at once, which is faster than waiting for one after the other.
    uint32_t differ = 0;
#pragma unroll
    for (uint32_t word = 0; word < kMaxItemWords; ++word)
      if (word < item_words) differ |= there[word] ^ item[word];
    return differ == 0 ? pointer : kNullPointer;
#else
    return same_words(ItemRef(there), item, item_words) ? pointer : kNullPointer;
#endif
  }
};

// The places from which the new runs and overflow sectors of a batch are taken. The host has made sure that
// there are enough. Each bucket takes its part at an offset that comes from a prefix sum or an atomic
// counter.

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
