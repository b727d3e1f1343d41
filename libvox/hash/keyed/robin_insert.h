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
#pragma once

#include "libvox/hash/keyed/build_status.h"
#include "libvox/hash/keyed/probes.h"

namespace vox::hash {

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

template <class Places, CellWord Cell, ProbeSequence Sequence>
struct InsertRobin {
  Places places;
  Sequence sequence;
  CellFormat<Cell> format;
  const Cell* items;
  KeyBuildStatus* status;

  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) places.prefetch(sequence.place(sequence.start(format.key(items[i])), 1));
  }

  VOX_HD void operator()(uint64_t i) const {
    AgedCell<Cell> wanting = {items[i], 1};
    if (format.key(wanting.cell) == format.apart_key()) return keep_apart(status, format.value(wanting.cell));
    auto start = sequence.start(format.key(wanting.cell));
    while (wanting.age <= Places::kMostAge) {
      const AgedCell<Cell> before = places.offer(sequence.place(start, wanting.age), wanting);
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

}  // namespace vox::hash
