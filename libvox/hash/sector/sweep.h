// Kernel bodies that remove items from the table `sector` (hash/sweep.h). One group works on each bucket.
#pragma once

#include "libvox/hash/sector/find.h"

namespace vox::hash {

// The ends word of an overflow sector that no bucket uses any more.
inline constexpr uint32_t kLeftSector = UINT32_MAX;

// The slots of a run, from begin to before end, that are in a superblock that stays. A run lies in at most
// two superblocks.
struct KeptSlots {
  uint32_t begin, end;

  VOX_HD KeptSlots(uint32_t pointer, uint32_t length, const uint32_t* released) : begin(0), end(length) {
    const uint32_t superblock = pointer / kItemsPerSuperblock;
    const uint32_t before_next = kItemsPerSuperblock - pointer % kItemsPerSuperblock;
    const uint32_t border = before_next < length ? before_next : length;
    if (released[superblock] != 0) begin = border;
    if (border < length && released[superblock + 1] != 0) end = border;
  }
  VOX_HD bool any() const { return begin < end; }
};

// Removes from a header the slots whose places are in released superblocks. The slots behind them close up.
// Runs, and what stays of them, are whole granules, so fingerprints move by words.
template <class Kind>
VOX_HD void drop_released(uint32_t* header, const uint32_t* released) {
  const SlotEnds ends = SlotEnds::of(header[Kind::kEndsWord]);
  SlotEnds kept = {};
  const uint32_t borders[] = {0, ends.first_run, ends.all};
  for (uint32_t run = 0; run < ends.runs(); ++run) {
    const uint32_t pointer = header[Kind::kRunWord + run];
    const KeptSlots slots(pointer, borders[run + 1] - borders[run], released);
    if (!slots.any()) continue;
    const uint32_t* from = header + borders[run] / 4;
    uint32_t* to = header + kept.all / 4;
    for (uint32_t word = slots.begin / 4; word < slots.end / 4; ++word) *to++ = from[word];
    const uint32_t kept_run = kept.runs();
    header[Kind::kRunWord + kept_run] = pointer + slots.begin;
    kept.all += slots.end - slots.begin;
    if (kept_run == 0) kept.first_run = kept.all;
  }
  for (uint32_t word = kept.all / 4; word < ends.all / 4; ++word) header[word] = 0;
  header[Kind::kEndsWord] = kept.word();
}

// Sweeps a bucket: its line and then its overflow sectors. Sectors that become empty leave the list.
struct SweepBucket {
  uint32_t* lines;
  uint32_t* overflow;
  const uint32_t* marks;
  const uint32_t* released;  // a word for each superblock, by its number; nullptr if none is released

  template <class Group>
  VOX_HD void operator()(Group group, uint64_t bucket) const {
    uint32_t* line = lines + bucket * SectorLine::kWords;
    sweep_header<SectorLine>(group, line);
    for (uint32_t* link = line + SectorLine::kNextWord; *link != kNoSector;) {
      uint32_t* sector = overflow + uint64_t{*link} * SectorOverflow::kWords;
      uint32_t* next = sector + SectorOverflow::kNextWord;
      const SlotEnds ends = sweep_header<SectorOverflow>(group, sector);
      if (ends.all > 0) {
        link = next;
        continue;
      }
      const uint32_t after = *next;
      group.each(1, [&](uint32_t) {
        *link = after;
        sector[SectorOverflow::kEndsWord] = kLeftSector;
      });
    }
  }

 private:
  template <class Kind, class Group>
  VOX_HD SlotEnds sweep_header(Group group, uint32_t* header) const {
    const SlotEnds ends = SlotEnds::of(header[Kind::kEndsWord]);
    const uint32_t words = (ends.items + 3) / 4;
    const uint32_t changed = group.ballot([&](uint32_t word) {
      if (word >= words) return false;
      const uint32_t pointer = slot_pointer<Kind>(header, 4 * word);
      const uint32_t fingerprints = header[word];
      const uint32_t live = fingerprints & bytes_of_bits(marks[pointer / 32] >> pointer % 32 & 15);
      if (live != fingerprints) header[word] = live;
      return live != fingerprints;
    });
    if (changed == 0 && !released) return ends;  // most headers lose nothing
    group.sync();
    if (released) group.each(1, [&](uint32_t) { drop_released<Kind>(header, released); });
    return count_slots<Kind>(group, header);
  }

  // Sets the ends of a header from its fingerprints, and returns them.
  template <class Kind, class Group>
  VOX_HD SlotEnds count_slots(Group group, uint32_t* header) const {
    SlotEnds ends = SlotEnds::of(header[Kind::kEndsWord]);
    const uint32_t words = ends.all / 4;
    const uint32_t used = group.ballot([&](uint32_t lane) { return lane < words && header[lane] != 0; });
    const uint32_t free = group.sum([&](uint32_t lane) {
      return lane < words ? static_cast<uint32_t>(popcount(match_bytes_of_word(header[lane], 0))) : 0;
    });
    ends.items = 0;
    if (used != 0) {
      const auto last = static_cast<uint32_t>(highest_bit(used));
      ends.items = 4 * last + static_cast<uint32_t>(highest_bit(header[last])) / 8 + 1;
    }
    ends.holes = free - (ends.all - ends.items);
    group.each(1, [&](uint32_t) { header[Kind::kEndsWord] = ends.word(); });
    return ends;
  }
};

// Counts the items of a bucket in the low half of the result, and its slots in the high half.
struct CountBucket {
  const uint32_t* lines;
  const uint32_t* overflow;
  VOX_HD uint64_t operator()(uint64_t bucket) const {
    const uint32_t* line = lines + bucket * SectorLine::kWords;
    uint64_t sum = count(line[SectorLine::kEndsWord]);
    for (uint32_t number = line[SectorLine::kNextWord]; number != kNoSector;) {
      const uint32_t* sector = overflow + uint64_t{number} * SectorOverflow::kWords;
      sum += count(sector[SectorOverflow::kEndsWord]);
      number = sector[SectorOverflow::kNextWord];
    }
    return sum;
  }
  VOX_HD static uint64_t count(uint32_t word) {
    const SlotEnds ends = SlotEnds::of(word);
    return uint64_t{ends.all} << 32 | (ends.items - ends.holes);
  }
};

struct IsLeftSector {
  const uint32_t* overflow;
  VOX_HD bool operator()(uint64_t number) const {
    return number != kNoSector &&
           overflow[number * SectorOverflow::kWords + SectorOverflow::kEndsWord] == kLeftSector;
  }
};

}  // namespace vox::hash
