// Where the keys of a table `lines` (lines.h) lie, and a search in it.
#pragma once

#include "libvox/base/bits.h"
#include "libvox/base/mix.h"
#include "libvox/base/unroll.h"
#include "libvox/hash/keyed/searched.h"

namespace vox::hash {

// The cells of a bucket, as one thread reads them.
template <CellWord Cell>
struct alignas(16) BucketCells {
  static constexpr uint32_t kBytes = 64, kCount = kBytes / sizeof(Cell);
  Cell cell[kCount];
};

// Where a key looks, turn by turn: in a line, and the next time as many lines further as its block's hash says. The
// number of lines is a prime, so that no line comes twice before all others came; then the other side of each
// line has its turn. Bits of the hash say which of the two sides it is, so that none of them is for some keys
// alone.
struct LineWalk {
  uint32_t turn, line, step, sides;
  VOX_HD void advance(uint32_t lines) {
    line += step;
    if (line >= lines) line -= lines;
    ++turn;
  }
  VOX_HD uint32_t bucket(uint32_t lines) const {
    const uint32_t side = turn < lines ? sides >> turn % 32 : ~sides >> (turn - lines) % 32;
    return 2 * line + (side & 1);
  }
};

// How early a cell comes in its bucket: a key that looked elsewhere more often has precedence, and the greater
// key among equals.
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

  Cell* cells;
  uint64_t seed;
  uint32_t lines;
  uint32_t probes;  // how many buckets a search looks at, at most
  CellFormat<Cell> format;

  VOX_HD LineWalk walk(Cell key) const {
    const uint64_t hash = mix64(key / kLineCells + seed);
    const auto low = static_cast<uint32_t>(hash), high = static_cast<uint32_t>(hash >> 32);
    return {0, static_cast<uint32_t>(uint64_t{high} * lines >> 32),
            1 + static_cast<uint32_t>(uint64_t{low} * (lines - 1) >> 32),
            key / kBucketCells % 2 == 0 ? low : ~low};
  }
  VOX_HD BucketCells<Cell>& bucket(uint32_t at) const {
    return reinterpret_cast<BucketCells<Cell>*>(cells)[at];
  }

  // The rank of a cell in one of its buckets.
  VOX_HD LineRank<Cell> rank(Cell cell, uint32_t at) const {
    LineWalk its = walk(format.key(cell));
    while (its.bucket(lines) != at && its.turn < 2 * lines) its.advance(lines);
    return {its.turn, cell};
  }

  // Whether the last cell of a full bucket comes before one that looks there in this turn.
  VOX_HD bool comes_before(Cell last, uint32_t at, uint32_t turn, Cell cell) const {
    LineWalk its = walk(format.key(last));
    while (its.bucket(lines) != at) {
      if (its.turn == turn) return true;  // it has looked elsewhere more often
      its.advance(lines);
    }
    return its.turn == turn && last > cell;
  }

  VOX_HD void prefetch(Cell key) const { prefetch_line(&bucket(walk(key).bucket(lines))); }

  // A search: gives found(slot, cell), or `none`.
  template <class Probe, class Result, class Found>
  VOX_HD Result search(Cell key, Probe& probe, Result none, const Found& found) const {
    const Cell greatest = format.cell(key, 0) + format.most_value();
    for (LineWalk its = walk(key); its.turn < probes; its.advance(lines)) {
      const uint32_t at = its.bucket(lines);
      const BucketCells<Cell> held = bucket(at);
      probe.read(BucketCells<Cell>::kBytes / 32, &bucket(at));
      // All cells are compared by a part of their keys, one of them by the rest.
      uint32_t hit = kBucketCells;
      VOX_UNROLL
      for (uint32_t i = 0; i < kBucketCells; ++i)
        if (static_cast<uint32_t>(format.key(held.cell[i])) == static_cast<uint32_t>(key)) hit = i;
      for (uint32_t i = hit; i < kBucketCells; --i)
        if (const Cell cell = bucket(at).cell[i]; format.key(cell) == key)
          return found(at * kBucketCells + i, cell);
      // No key was ever sent on from a bucket that is not full, nor one that comes before the last in it.
      const Cell last = held.cell[kBucketCells - 1];
      if (last == kEmptyCell<Cell> || !comes_before(last, at, its.turn, greatest)) return none;
    }
    return none;
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

}  // namespace vox::hash
