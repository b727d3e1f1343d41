// The places of keys in a table `lines` (lines.h), and the search.
#pragma once

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/hash/keyed/searched.h"

namespace vox::hash {

// The cells of a bucket, as one thread reads them. In a full bucket, the last cell is the one of least
// precedence. A search need not compute the turn in which that cell's key came to this bucket: the order of
// the cells before it encodes the turn. In each pair of cells, the first may be less than the second, or
// greater, which is one bit.
template <CellWord Cell>
struct alignas(16) BucketCells {
  static constexpr uint32_t kBytes = 64, kCount = kBytes / sizeof(Cell);
  static constexpr uint32_t kPairs = 3, kMostTold = (1 << kPairs) - 1;  // means this turn or a later one
  Cell cell[kCount];

  VOX_HD uint32_t told_turn() const {
    uint32_t turn = 0;
    VOX_UNROLL
    for (uint32_t pair = 0; pair < kPairs; ++pair)
      if (cell[2 * pair] < cell[2 * pair + 1]) turn |= 1u << pair;
    return turn;
  }
  VOX_HD void tell_turn(uint32_t turn) {
    const uint32_t changed = told_turn() ^ (turn < kMostTold ? turn : kMostTold);
    VOX_UNROLL
    for (uint32_t pair = 0; pair < kPairs; ++pair) {
      const Cell first = cell[2 * pair], second = cell[2 * pair + 1];
      const bool swap = (changed >> pair & 1) != 0;
      cell[2 * pair] = swap ? second : first;
      cell[2 * pair + 1] = swap ? first : second;
    }
  }
};

// The buckets that a key visits, turn by turn. Each turn goes to a line, and the next turn goes a fixed
// number of lines further, which the hash of the key's block defines. The number of lines is a prime, so no
// line comes a second time before all others have come; then the other side of each line has its turn. Bits
// of the hash choose the side, so that neither side is reserved for certain keys.
struct LineWalk {
  uint32_t turn, line, step;
  uint32_t sides;  // for this turn and those to come, lowest bit first

  VOX_HD void advance(uint32_t lines) {
    advance_on_same_sides(lines);
    if (turn == lines) change_sides(lines);
  }
  VOX_HD void advance_on_same_sides(uint32_t lines) {
    const uint32_t next = line + step;
    line = next < lines ? next : next - lines;
    sides = rotated(sides, 1);
    ++turn;
  }
  // Changes to the other sides, after as many turns as there are lines.
  VOX_HD void change_sides(uint32_t lines) { sides = ~rotated(sides, (32 - lines % 32) % 32); }
  VOX_HD uint32_t bucket() const { return 2 * line + (sides & 1); }

 private:
  VOX_HD static uint32_t rotated(uint32_t bits, uint32_t right) {
    return bits >> right | bits << (32 - right) % 32;
  }
};

// The precedence of a cell in its bucket: a key that tried more buckets before comes first; among equals, the
// greater key does.
template <CellWord Cell>
struct LineRank {
  uint32_t turn;
  Cell cell;
  VOX_HD bool before(const LineRank& other) const {
    return turn != other.turn ? turn > other.turn : cell > other.cell;
  }
};

template <CellWord Cell>
struct LinesRef {
  static constexpr uint32_t kBucketCells = BucketCells<Cell>::kCount;
  static constexpr uint32_t kLineBuckets = 2, kLineCells = kLineBuckets * kBucketCells;
  static constexpr int kBlocksAtOnce = 8;  // for searches, which wait for memory most of the time

  Cell* cells;
  uint64_t seed;
  uint32_t lines;
  uint32_t probes;  // the most buckets that a search reads
  CellFormat<Cell> format;

  VOX_HD LineWalk walk(Cell key) const {
    const uint64_t hash = mix64(key / kLineCells + seed);
    const auto low = static_cast<uint32_t>(hash), high = static_cast<uint32_t>(hash >> 32);
    const auto odd = static_cast<uint32_t>(key) / kBucketCells % 2;
    return {0, static_cast<uint32_t>(uint64_t{high} * lines >> 32),
            1 + static_cast<uint32_t>(uint64_t{low} * (lines - 1) >> 32), low ^ (0 - odd)};
  }
  VOX_HD BucketCells<Cell>& bucket(uint32_t at) const {
    return reinterpret_cast<BucketCells<Cell>*>(cells)[at];
  }

  // Returns the rank of a cell in one of its buckets.
  VOX_HD LineRank<Cell> rank(Cell cell, uint32_t at) const {
    LineWalk its = walk(format.key(cell));
    while (its.bucket() != at && its.turn < 2 * lines) its.advance(lines);
    return {its.turn, cell};
  }

  VOX_HD void prefetch(Cell key) const { prefetch_line(&bucket(walk(key).bucket())); }

  // Searches for a key. Returns found(slot, cell), or `none`.
  template <class Probe, class Result, class Found>
  VOX_HD Result search(Cell key, Probe& probe, Result none, const Found& found) const {
    const Cell wanted = format.cell(key, 0);
    LineWalk its = walk(key);
    for (uint32_t end = probes < lines ? probes : lines;; end = probes, its.change_sides(lines)) {
      for (; its.turn < end; its.advance_on_same_sides(lines)) {
        const uint32_t at = its.bucket();
        const BucketCells<Cell> held = bucket(at);
        probe.read(BucketCells<Cell>::kBytes / 32, &bucket(at));
        uint32_t place = kBucketCells;
        VOX_UNROLL
        for (uint32_t i = 0; i < kBucketCells; ++i)
          if (format.same_key(held.cell[i], wanted)) place = i;
        if (place < kBucketCells) return found(at * kBucketCells + place, bucket(at).cell[place]);
        // No key ever went on from a bucket that is not full, and no key with precedence over the bucket's
        // last one did.
        const Cell last = held.cell[kBucketCells - 1];
        if (last == kEmptyCell<Cell>) return none;
        const uint32_t before = its.turn + (last < wanted ? 1 : 0);
        if (held.told_turn() < (before < held.kMostTold ? before : held.kMostTold)) return none;
      }
      if (end == probes) return none;
    }
  }
  template <class Probe>
  VOX_HD uint32_t find(Cell key, Probe& probe) const {
    return search(key, probe, kNoSlot, [](uint32_t slot, Cell) { return slot; });
  }
  template <class Probe>
  VOX_HD uint32_t value(Cell key, Probe& probe) const {
    return search(key, probe, kNoValue, [this](uint32_t, Cell cell) { return format.value(cell); });
  }
};
static_assert(ReadsValues<LinesRef<uint64_t>, uint64_t> && device::ResidentBody<LinesRef<uint64_t>>);

}  // namespace vox::hash
