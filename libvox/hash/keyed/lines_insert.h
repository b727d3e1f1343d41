// Inserts cells into the buckets of a table `lines` (lines.h), and then orders the cells of each bucket.
#pragma once

#include <cstring>

#include "libvox/base/sorting_network.h"
#include "libvox/base/unroll.h"
#include "libvox/device/atomics.h"
#include "libvox/hash/keyed/build_status.h"
#include "libvox/hash/keyed/lines_ref.h"

namespace vox::hash {

// A copy of a bucket's cells, which other threads change at the same time. On a GPU the cells may be
// outdated, because they come from the L1 cache; a thread notices when it tries to exchange a cell that has
// changed.
template <CellWord Cell>
struct SharedBucket {
  static constexpr uint32_t kCells = LinesRef<Cell>::kBucketCells;
  Cell cell[kCells];

  VOX_HD explicit SharedBucket(const Cell* at) {
#ifdef __CUDA_ARCH__
    VOX_UNROLL
    for (uint32_t i = 0; i < kCells; i += 16 / sizeof(Cell)) {
      uint64_t words[2];
      asm volatile("ld.relaxed.cta.global.v2.u64 {%0, %1}, [%2];"
                   : "=l"(words[0]), "=l"(words[1])
                   : "l"(at + i)
                   : "memory");
      std::memcpy(cell + i, words, sizeof(words));
    }
#else
    for (uint32_t i = 0; i < kCells; ++i) cell[i] = device::atomic_load_relaxed(at + i);
#endif
  }
};

// Inserts cells. A cell that is put out is moved on by the same thread. The cells of a bucket only ever gain
// precedence, so a thread may rely on the reason for which it moved a cell on, however long ago that was.
template <CellWord Cell>
struct InsertIntoLines {
  using Lines = LinesRef<Cell>;
  static constexpr uint32_t kCells = Lines::kBucketCells;
  Lines table;
  const Cell* items;
  KeyBuildStatus* status;

  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) table.prefetch(table.format.key(items[i]));
  }

  VOX_HD void operator()(uint64_t i) const {
    Cell cell = items[i];
    if (table.format.key(cell) == table.format.apart_key())
      return keep_apart(status, table.format.value(cell));
    LineWalk walk = table.walk(table.format.key(cell));
    while (walk.turn < table.probes) {
      if (put(cell, walk)) return;
      walk.advance(table.lines);
    }
    device::atomic_or_relaxed(&status->failed, 1u);
  }

  // Tries to put a cell into the bucket that its walk has reached. Returns true if nothing is left to insert.
  // Otherwise `cell` is the cell that must go on from there.
  VOX_HD bool put(Cell& cell, LineWalk& walk) const {
    const Cell key = table.format.key(cell);
    const uint32_t at = walk.bucket();
    Cell* const bucket = table.bucket(at).cell;
    SharedBucket<Cell> held(bucket);
    while (true) {
      uint32_t empty = 0, same = 0;  // a bit for each cell
      VOX_UNROLL
      for (uint32_t i = 0; i < kCells; ++i) {
        empty |= static_cast<uint32_t>(held.cell[i] == kEmptyCell<Cell>) << i;
        same |= static_cast<uint32_t>(table.format.same_key(held.cell[i], cell)) << i;
      }
      if (same != 0) {
        VOX_UNROLL
        for (uint32_t i = 0; i < kCells; ++i)
          if ((same >> i & 1) != 0) note_copy(status, held.cell[i], cell);
        return true;
      }
      if (empty != 0) {
        // Neighbours in a batch are neighbours in a bucket, so each tries a different cell first.
        const auto begin = static_cast<uint32_t>(key % kCells);
        const auto behind = static_cast<uint32_t>(lowest_bit(empty >> begin | empty << (kCells - begin)));
        const uint32_t to = (begin + behind) % kCells;
        const Cell before = device::atomic_exchange_if_relaxed(bucket + to, kEmptyCell<Cell>, cell);
        if (before == kEmptyCell<Cell>) return true;
        set(held, to, before);
        continue;
      }
      LineRank<Cell> out = table.rank(held.cell[0], at);
      uint32_t to = 0;
      VOX_UNROLL
      for (uint32_t i = 1; i < kCells; ++i)
        if (const LineRank<Cell> other = table.rank(held.cell[i], at); out.before(other)) {
          out = other;
          to = i;
        }
      if (!LineRank<Cell>{walk.turn, cell}.before(out)) return false;
      const Cell before = device::atomic_exchange_if_relaxed(bucket + to, out.cell, cell);
      if (before != out.cell) {
        set(held, to, before);
        continue;
      }
      VOX_UNROLL
      for (uint32_t i = 0; i < kCells; ++i)
        if (i != to && table.format.key(held.cell[i]) == table.format.key(out.cell))
          device::atomic_or_relaxed(&status->twice, 1u);
      cell = out.cell;
      walk = table.walk(table.format.key(cell));
      while (walk.turn < out.turn) walk.advance(table.lines);
      return false;
    }
  }

  // Does the same as held.cell[place] = cell, for cells in registers, which have no address.
  VOX_HD static void set(SharedBucket<Cell>& held, uint32_t place, Cell cell) {
    VOX_UNROLL
    for (uint32_t i = 0; i < kCells; ++i)
      if (i == place) held.cell[i] = cell;
  }
};

// Orders the cells of a bucket by precedence, and then encodes the last cell's turn in the pairs
// (BucketCells).
template <CellWord Cell>
struct OrderBucket {
  using Lines = LinesRef<Cell>;
  static constexpr uint32_t kCells = Lines::kBucketCells;
  Lines table;
  KeyBuildStatus* status;

  VOX_HD void operator()(uint64_t i) const {
    const auto at = static_cast<uint32_t>(i);
    BucketCells<Cell> held = table.bucket(at);
    uint32_t turns[kCells];  // one more than the turn; 0 if empty
    VOX_UNROLL
    for (uint32_t c = 0; c < kCells; ++c)
      turns[c] = held.cell[c] == kEmptyCell<Cell> ? 0 : table.rank(held.cell[c], at).turn + 1;
    sorting_network<kCells>([&](uint32_t a, uint32_t b) {
      const LineRank<Cell> left = {turns[a], held.cell[a]}, right = {turns[b], held.cell[b]};
      const bool swap = right.before(left);
      turns[a] = swap ? right.turn : left.turn;
      turns[b] = swap ? left.turn : right.turn;
      held.cell[a] = swap ? right.cell : left.cell;
      held.cell[b] = swap ? left.cell : right.cell;
    });
    // Equal keys have equal turns, so they lie side by side.
    VOX_UNROLL
    for (uint32_t c = 1; c < kCells; ++c)
      if (turns[c] > 0 && table.format.key(held.cell[c]) == table.format.key(held.cell[c - 1]))
        device::atomic_or_relaxed(&status->twice, 1u);
    note_probes(status, turns[0]);
    if (turns[kCells - 1] > 0) held.tell_turn(turns[kCells - 1] - 1);
    table.bucket(at) = held;
  }
};

}  // namespace vox::hash
