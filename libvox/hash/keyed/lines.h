// The table `lines`, which was designed for this library. Successive keys lie beside each other, a search
// usually reads one bucket, and a table of any load factor is built at the first attempt.
//
//   bucket     64 bytes: 8 cells of 64 bits or 16 of 32, in the order of their precedence, empty ones last; in a full
//              bucket, swapped pairs of cells encode the turn of the last cell (BucketCells)
//   line       128 bytes, two buckets
//   block      the keys that fill a line when all of them are stored: 16 or 32 that follow each other
//
// The hash of a block defines a sequence of lines. A key belongs to one side of each of these lines, so keys
// that share a bucket of the first line share a bucket of every line. A *turn* is a step of this sequence:
// the bucket of turn 0 is the first that a key tries. A key lies in the first of its buckets that has room
// for it. Keys that had to go on more often have precedence (Robin Hood), and among equals the greater key
// has. This is a stable matching, and there is only one, in whatever order the keys come. A build may have
// any number of threads, and its cells are always the same.
//
// A change leaves the cells that a build of the same number of lines would make. Keys that are added go the same way as
// those of a build, and it does not matter that others have gone it before. Keys that are erased make room that others
// were refused, so all keys that are not in the first of their buckets leave it and go their way again. Tables do not
// age.
//
// A search visits the same buckets. It ends at a bucket that is not full, because no key ever had to go on
// from there, and at a bucket whose last key would have had to make room for the wanted one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/base/sorting_network.h"
#include "libvox/device/atomics.h"
#include "libvox/device/device.h"
#include "libvox/device/pool.h"
#include "libvox/hash/keyed/attempts.h"
#include "libvox/hash/keyed/lines_ref.h"

namespace vox::hash {

// Inserts cells into the buckets of a table `lines`, and then orders the cells of each bucket.

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

// Inserts cells. A cell that loses its place to another is moved on by the same thread. The cells of a bucket only ever
// gain precedence, so the reason why a thread moved a cell on stays true.
template <CellWord Cell>
struct InsertIntoLines {
  using Lines = LinesRef<Cell>;
  static constexpr uint32_t kCells = Lines::kBucketCells;
  Lines table;
  const Cell* items;
  KeyBuildStatus* status;
  Cell* left = nullptr;  // may be the items: if there is no place for a cell, left[i] becomes that cell

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
    if (left != nullptr) left[i] = cell;
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
        // Neighbors in a batch are neighbors in a bucket, so each tries a different cell first.
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
static_assert(device::PrefetchingBody<InsertIntoLines<uint64_t>>);

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

// Empties the slots where a search has found keys that are to be erased. A key may come more than once.
template <CellWord Cell>
struct EraseSlots {
  const uint32_t* found;
  Cell* cells;
  uint64_t slots;
  uint32_t* apart;  // becomes 0 if the key that is kept apart is erased
  VOX_HD void operator()(uint64_t i) const {
    if (found[i] == kNoSlot) return;
    if (found[i] == slots)
      device::atomic_store_relaxed(apart, 0u);
    else
      device::atomic_store_relaxed(cells + found[i], kEmptyCell<Cell>);
  }
};

// True for the slots of keys that had to go on from the first of their buckets.
template <CellWord Cell>
struct HasGoneOn {
  LinesRef<Cell> table;
  VOX_HD bool operator()(uint64_t slot) const {
    const Cell cell = table.cells[slot];
    return cell != kEmptyCell<Cell> &&
           table.walk(table.format.key(cell)).bucket() != slot / LinesRef<Cell>::kBucketCells;
  }
};

template <CellWord Cell>
struct TakeOut {
  Cell* cells;
  const uint32_t* chosen;
  Cell* to;
  VOX_HD void operator()(uint64_t i) const {
    to[i] = cells[chosen[i]];
    cells[chosen[i]] = kEmptyCell<Cell>;
  }
};

// Returns how many lines a table of this many keys has.
inline uint64_t lines_of(uint64_t keys, double load_factor, uint32_t line_cells) {
  const double wanted = std::ceil(static_cast<double>(keys) / load_factor / line_cells);
  return next_prime(std::max<uint64_t>(1, static_cast<uint64_t>(wanted)));
}

template <class Device, CellWord Cell>
class LinesTable final : public AttemptedKeyTable<Device, Cell, LinesRef<Cell>> {
 public:
  static constexpr const char* kName = "lines";
  static constexpr KeyTableLoad kLoad = {.usual = 0.8, .most = 1};

  LinesTable(Device& device, const KeyTableOptions& options)
      : AttemptedKeyTable<Device, Cell, Lines>(device, options, kMostAttempts) {}

 private:
  using Lines = LinesRef<Cell>;
  static constexpr uint32_t kMostAttempts = 8, kMostProbes = 64;

  void attempt(const Cell* cells, uint64_t n, const KeyBuildAttempt& attempt) override {
    const uint64_t lines = lines_of(n, this->load_factor_, Lines::kLineCells);
    this->make_cells(lines * Lines::kLineCells);
    this->ref_ = {this->cells_.data(), attempt.seed, static_cast<uint32_t>(lines), 0, this->format_};
    insert(InsertIntoLines<Cell>{this->ref_, cells, attempt.status}, n);
  }

  KeyTableBuild finished(KeyTableBuild build) override {
    this->ref_.probes = build.most_probes;
    keys_ = build.keys;
    return build;
  }

  void insert(InsertIntoLines<Cell> body, uint64_t n) {
    body.table.probes =
        static_cast<uint32_t>(std::min<uint64_t>(kMostProbes, 2 * uint64_t{body.table.lines}));
    this->device_.for_each({"insert into lines", sizeof(Cell) + 2.0 * BucketCells<Cell>::kBytes}, n, body);
    this->device_.for_each({"order buckets", 2.0 * BucketCells<Cell>::kBytes},
                           this->slots_ / Lines::kBucketCells, OrderBucket<Cell>{body.table, body.status});
  }

  std::optional<KeyTableBuild> change_cells(const KeyTableChange<Cell>& change) override {
    auto& device = this->device_;
    if (change.erased_count > 0) erase(change.erased, change.erased_count);
    // A build with more lines takes the cells as they are, in whatever order.
    if (lines_of(keys_ + change.added_count, this->load_factor_, Lines::kLineCells) > this->ref_.lines)
      return build_with(change.added, change.added_count);
    const device::Buffer<Cell> cells = taken_out(change.erased_count > 0, change.added_count);
    const uint64_t taken = cells.size() - change.added_count;
    device.copy(cells.data() + taken, change.added, change.added_count);
    KeyBuildStatus status = {};
    status.apart = this->holds_apart_ ? uint64_t{this->apart_value_} + 1 : 0;
    const auto on_device = device::uploaded(device, std::vector{status});
    insert(InsertIntoLines<Cell>{this->ref_, cells.data(), on_device.data(), cells.data()}, cells.size());
    device.download(&status, on_device.data(), 1);
    if (status.conflicts != 0) throw two_values(this->options_);
    if (status.apart != 0) this->keep_apart(static_cast<uint32_t>(status.apart - 1));
    if (status.twice != 0 || status.failed != 0) return build_with(cells.data(), cells.size());
    return finished({.keys = keys_ + change.added_count - status.copies, .most_probes = status.most_probes});
  }

  // Empties the slots of these keys. Until the buckets are in order again, searches would miss keys.
  void erase(const Cell* keys, uint64_t n) {
    auto& device = this->device_;
    auto found = device.template make<uint32_t>(n);
    this->find(keys, n, found.data());
    const auto apart = device::uploaded(device, std::vector<uint32_t>{this->holds_apart_ ? 1u : 0u});
    device.for_each({"erase slots", sizeof(Cell) + 4.0}, n,
                    EraseSlots<Cell>{found.data(), this->cells_.data(), this->slots_, apart.data()});
    uint32_t holds_apart = 0;
    device.download(&holds_apart, apart.data(), 1);
    this->holds_apart_ = holds_apart != 0;
    keys_ = device.sum({"count keys", sizeof(Cell)}, this->slots_ + 1, this->holds_key());
  }

  // Takes those keys out that have gone on, if any are to go their way again, and returns them with room for more.
  device::Buffer<Cell> taken_out(bool any, uint64_t more) {
    auto& device = this->device_;
    auto chosen = device.template make<uint32_t>(any ? this->slots_ : 0);
    const uint64_t taken = any ? device.select({"select keys that have gone on", sizeof(Cell)}, this->slots_,
                                               HasGoneOn<Cell>{this->ref_}, chosen.data())
                               : 0;
    auto cells = device.template make<Cell>(taken + more);
    device.for_each({"take out keys", 2.0 * sizeof(Cell)}, taken,
                    TakeOut<Cell>{this->cells_.data(), chosen.data(), cells.data()});
    return cells;
  }

  KeyTableBuild build_with(const Cell* cells, uint64_t n) {
    const auto all = stored_and_more(this->device_, *this, cells, n);
    return this->build(all.data(), all.size());
  }

  uint64_t keys_ = 0;
};

}  // namespace vox::hash
