// The maximum ages of García et al. 2011, §3.1: for each slot, the age of the oldest of the keys that look
// there first. A search ends at this age; if it is 0, there is nothing to find.
//
// An age is stored as a *level* of 2, 3 or 4 bits that stands for all ages up to its bound. Levels of 4 bits
// are the ages themselves as long as the oldest key is no older than 15. With fewer bits or older keys,
// levels are coarser. Levels lie in the highest bits of the cell at the slot if these bits are free, else in
// words of their own.
#pragma once

#include "libvox/device/device.h"
#include "libvox/hash/keyed/attempts.h"
#include "libvox/hash/keyed/keys.h"

namespace vox::hash {

// Insertion into the table `robin` (robin.h). A key looks at its places one after the other. It takes the
// first place whose holder has a lower age there, or the same age and a lesser cell. The same thread then
// moves the former holder on.
//
// The pair (age, cell) of a place only ever grows. A key that was rejected at a place would therefore be
// rejected there later as well. In the end, each key is at the first of its places at which all greater pairs
// have found a better place. This is a stable matching, and there is only one, in whatever order threads run.
// No key can end in two places: on its way to the later one, it met itself or a greater pair at the earlier
// one, and that would still be there. The same holds for a key with two values: at a place, no other key lies
// between its two pairs, so one of them meets the other.

// The holder of a place, or a cell that wants the place.
template <CellWord Cell>
struct AgedCell {
  Cell cell;
  uint32_t age;  // 0 if there is no holder

  VOX_HD bool operator<(const AgedCell& other) const {
    return age != other.age ? age < other.age : cell < other.cell;
  }
};

// Places as in the paper: words with the age in the highest bits and the cell below, so that a single atomic
// maximum compares and stores them. If the highest 4 bits of all cells are 0, a word is as long as a cell.
// 32-bit cells that use all bits need words of 64 bits.
template <class Word, CellWord Cell>
struct AgedWords {
  static constexpr uint32_t kAgeBits = sizeof(Word) == sizeof(Cell) ? 4 : 5;
  static constexpr uint32_t kMostAge = (1u << kAgeBits) - 1;
  static constexpr uint32_t kAgeShift = 8 * sizeof(Word) - kAgeBits;
  static constexpr Word kNobody = 0;

  Word* words;

  VOX_HD static AgedCell<Cell> unpacked(Word word) {
    return {static_cast<Cell>(word & ((Word{1} << kAgeShift) - 1)), static_cast<uint32_t>(word >> kAgeShift)};
  }
  VOX_HD AgedCell<Cell> holder(uint64_t place) const { return unpacked(words[place]); }

  // Gives a place to the greater of its holder and this cell. Returns the previous holder.
  VOX_HD AgedCell<Cell> offer(uint64_t place, AgedCell<Cell> wanting) const {
    const Word word = static_cast<Word>(wanting.age) << kAgeShift | wanting.cell;
    return unpacked(device::atomic_max(words + place, word));
  }
  VOX_HD void prefetch(uint64_t place) const { prefetch_line(words + place); }
};

// Places for 64-bit cells that use all bits. They hold only cells. A holder's age is computed from its key
// and the place, and holders change by compare and swap.
template <CellWord Cell, ProbeSequence Sequence>
struct PlainCells {
  static constexpr uint32_t kMostAge = Sequence::kMostAge;
  static constexpr Cell kNobody = kEmptyCell<Cell>;

  Cell* words;
  Sequence sequence;
  CellFormat<Cell> format;

  VOX_HD AgedCell<Cell> aged(Cell cell, uint64_t place) const {
    if (cell == kNobody) return {cell, 0};
    return {cell, age_at(sequence, format.key(cell), place)};
  }
  VOX_HD AgedCell<Cell> holder(uint64_t place) const { return aged(words[place], place); }

  VOX_HD AgedCell<Cell> offer(uint64_t place, AgedCell<Cell> wanting) const {
    Cell seen = device::atomic_load_relaxed(words + place);
    while (true) {
      const AgedCell<Cell> before = aged(seen, place);
      if (!(before < wanting)) return before;
      const Cell found = device::atomic_exchange_if_relaxed(words + place, seen, wanting.cell);
      if (found == seen) return before;
      seen = found;
    }
  }
  VOX_HD void prefetch(uint64_t place) const { prefetch_line(words + place); }
};

// If `kMarks`, keeps the greatest age of the keys that look at each slot first, as in the paper. Keys only grow older,
// so the greatest age is the one in the end.
template <class Places, CellWord Cell, ProbeSequence Sequence, bool kMarks>
struct InsertRobin {
  Places places;
  Sequence sequence;
  CellFormat<Cell> format;
  const Cell* items;
  KeyBuildStatus* status;
  uint32_t* maximum;  // the greatest age for each slot; nullptr without kMarks

  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) places.prefetch(sequence.place(sequence.start(format.key(items[i])), 1));
  }

  VOX_HD void operator()(uint64_t i) const {
    AgedCell<Cell> wanting = {items[i], 1};
    if (format.key(wanting.cell) == format.apart_key()) return keep_apart(status, format.value(wanting.cell));
    auto start = sequence.start(format.key(wanting.cell));
    while (wanting.age <= Places::kMostAge) {
      const AgedCell<Cell> before = places.offer(sequence.place(start, wanting.age), wanting);
      if constexpr (kMarks) {
        if (before < wanting) device::atomic_max(maximum + sequence.place(start, 1), wanting.age);
      }
      if (before.age == 0) return;
      if (format.key(before.cell) == format.key(wanting.cell))
        return note_copy(status, before.cell, wanting.cell);
      if (before < wanting) {
        wanting = before;
        start = sequence.start(format.key(wanting.cell));
      }
      ++wanting.age;
    }
    device::atomic_or_relaxed(&status->failed, 1u);
  }
};
static_assert(device::PrefetchingBody<
              InsertRobin<PlainCells<uint64_t, CoherentProbes>, uint64_t, CoherentProbes, false>>);

class AgeLevels {
 public:
  AgeLevels() = default;
  AgeLevels(uint32_t bits, uint32_t most_age)
      : bits_(bits), most_age_(most_age), slope_((256 * most_age + last() - 1) / last()) {}

  VOX_HD uint32_t bits() const { return bits_; }
  VOX_HD uint32_t most_age() const { return most_age_; }
  // Returns how many levels a word of 32 bits holds.
  VOX_HD uint32_t in_word() const { return 32 / bits_; }
  VOX_HD uint32_t bound(uint32_t level) const {
    const uint32_t even = level * slope_ >> 8, bound = even > level ? even : level;
    return bound < most_age_ ? bound : most_age_;
  }
  // Returns the least level for this age.
  VOX_HD uint32_t level(uint32_t age) const {
    uint32_t level = 0;
    while (bound(level) < age) ++level;
    return level;
  }
  // Returns the level at a slot, from levels in words of their own.
  VOX_HD uint32_t level_at(const uint32_t* words, uint64_t slot) const {
    const auto at = static_cast<uint32_t>(slot);
    return words[at / in_word()] >> at % in_word() * bits_ & last();
  }

 private:
  VOX_HD uint32_t last() const { return (1u << bits_) - 1; }

  uint32_t bits_ = 4, most_age_ = 0;
  uint32_t slope_ = 0;  // slope of the bounds over the levels, in 1/256
};

// Gathers the levels of the keys that look at each slot first: a bit for each of 15 levels, and two slots in
// a word.
struct LevelMarks {
  uint32_t* words;

  static uint64_t words_for(uint64_t slots) { return (slots + 1) / 2; }
  VOX_HD void mark(uint64_t slot, uint32_t level) const {
    device::atomic_or_relaxed(words + slot / 2, 1u << (level - 1) << slot % 2 * 16);
  }
  VOX_HD uint32_t highest(uint64_t slot) const {
    const uint32_t marks = words[slot / 2] >> slot % 2 * 16 & 0xffff;
    return marks == 0 ? 0 : static_cast<uint32_t>(highest_bit(marks)) + 1;
  }
};

template <class Places>
struct AgeOfHolder {
  Places places;
  VOX_HD uint32_t operator()(uint64_t place) const { return places.holder(place).age; }
};

template <class Places, CellWord Cell, ProbeSequence Sequence>
struct MarkLevels {
  Places places;
  Sequence sequence;
  CellFormat<Cell> format;
  AgeLevels levels;
  LevelMarks marks;
  VOX_HD void operator()(uint64_t place) const {
    const AgedCell<Cell> holder = places.holder(place);
    if (holder.age == 0) return;
    const auto start = sequence.start(format.key(holder.cell));
    marks.mark(sequence.place(start, 1), levels.level(holder.age));
  }
};

// Marks the levels of maximum ages that InsertRobin has kept.
struct MarkKeptLevels {
  const uint32_t* maximum;
  AgeLevels levels;
  LevelMarks marks;
  VOX_HD void operator()(uint64_t slot) const {
    if (maximum[slot] > 0) marks.mark(slot, levels.level(maximum[slot]));
  }
};

// Copies the holders of places to cells; places without a holder become empty. If no key holds a slot, no key
// looks there first.
template <class Places, CellWord Cell>
struct TakeHolders {
  Places places;
  Cell* cells;
  VOX_HD void operator()(uint64_t slot) const {
    const AgedCell<Cell> holder = places.holder(slot);
    cells[slot] = holder.age == 0 ? kEmptyCell<Cell> : holder.cell;
  }
};

template <class Places, CellWord Cell>
struct TakeHoldersWithLevels {
  Places places;
  Cell* cells;
  LevelMarks marks;
  uint32_t shift;  // position of the level in a cell
  VOX_HD void operator()(uint64_t slot) const {
    const AgedCell<Cell> holder = places.holder(slot);
    cells[slot] =
        holder.age == 0 ? kEmptyCell<Cell> : holder.cell | static_cast<Cell>(marks.highest(slot)) << shift;
  }
};

// Writes a word of levels that lie apart from the cells.
struct GatherLevels {
  LevelMarks marks;
  AgeLevels levels;
  uint64_t slots;
  uint32_t* words;
  VOX_HD void operator()(uint64_t i) const {
    uint32_t word = 0;
    for (uint32_t at = 0; at < levels.in_word(); ++at) {
      const uint64_t slot = i * levels.in_word() + at;
      if (slot < slots) word |= marks.highest(slot) << at * levels.bits();
    }
    words[i] = word;
  }
};

}  // namespace vox::hash
