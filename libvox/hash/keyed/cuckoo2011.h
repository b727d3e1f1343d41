// The table `cuckoo2011`: the single-pass cuckoo hash of Alcantara, Volkov, Sengupta, Mitzenmacher, Owens and
// Amenta 2011, "Building an efficient hash table on the GPU", with which García et al. 2011 compare theirs.
//
// A key has four cells in one large table. An item takes the first cell by an atomic exchange, and the same
// thread then moves the item that was there to that item's next cell. It compares the item's slots with the
// current one to find out which function had put the item there. An item that still has no cell after 7 lg n
// exchanges goes to the stash, 101 cells with a hash function of their own. If its cell in the stash is
// taken, the table is built again with other functions.
//
//   cells    the table, n / load factor │ the stash
//
// Races decide which of its cells a key has, so two builds of the same keys may differ in their cells.
//
// The functions are [(c0 + c1 k) mod p] mod the number of cells. The prime p = 2^32 - 5 exceeds every number
// of cells, and keys of 32 bits have equal cells in all functions only if they are equal. A key of 64 bits is
// treated as two words, each with constants of its own.
#pragma once

#include <algorithm>
#include <cmath>

#include "libvox/base/bits.h"
#include "libvox/device/device.h"
#include "libvox/hash/keyed/attempts.h"
#include "libvox/hash/keyed/probes.h"

namespace vox::hash {

template <CellWord Cell>
struct Cuckoo2011Ref {
  static constexpr uint32_t kFunctions = 4, kStashCells = 101;
  using Affine = AffineHash<kAffineLargePrime>;

  Cell* cells;
  uint32_t size;  // cells of the table; the stash lies behind them
  uint32_t stash_used;
  Affine low[kFunctions + 1], high[kFunctions + 1];  // the last function is the stash's
  CellFormat<Cell> format;

  static Cuckoo2011Ref with_seed(Cell* cells, uint32_t size, CellFormat<Cell> format, uint64_t seed) {
    Cuckoo2011Ref ref = {
        .cells = cells, .size = size, .stash_used = 1, .low = {}, .high = {}, .format = format};
    for (uint32_t f = 0; f <= kFunctions; ++f) {
      ref.low[f] = Affine::from(mix64(seed + 2 * f));
      ref.high[f] = Affine::from(mix64(seed + 2 * f + 1));
    }
    return ref;
  }

  VOX_HD uint32_t hash(Cell key, uint32_t function) const {
    uint64_t sum = low[function](static_cast<uint32_t>(key));
    if constexpr (sizeof(Cell) == 8)
      sum = (sum + high[function](static_cast<uint32_t>(key >> 32))) % kAffineLargePrime;
    return static_cast<uint32_t>(sum);
  }
  VOX_HD uint32_t slot(Cell key, uint32_t function) const { return hash(key, function) % size; }
  VOX_HD uint32_t stash_slot(Cell key) const { return size + hash(key, kFunctions) % kStashCells; }
  // Returns the next slot of a key that was evicted from a slot.
  VOX_HD uint32_t next_slot(Cell key, uint32_t from) const {
    uint32_t function = 0;
    while (function + 1 < kFunctions && slot(key, function) != from) ++function;
    return slot(key, (function + 1) % kFunctions);
  }

  VOX_HD Cell cell(uint32_t slot) const { return cells[slot]; }
  VOX_HD void prefetch(Cell key) const { prefetch_line(cells + slot(key, 0)); }

  // A cell that is in use stays in use, and a key comes to a cell only by way of those before it. The search
  // can therefore skip to the stash at an empty cell; a key may come to the stash from any cell.
  template <class Probe>
  VOX_HD uint32_t find(Cell key, Probe& probe) const {
    for (uint32_t function = 0; function < kFunctions; ++function) {
      const uint32_t at = slot(key, function);
      const Cell held = cells[at];
      probe.read(1, cells + at);
      if (held == kEmptyCell<Cell>) break;
      if (format.key(held) == key) return at;
    }
    if (stash_used == 0) return kNoSlot;
    const uint32_t at = stash_slot(key);
    probe.read(1, cells + at);
    return cells[at] != kEmptyCell<Cell> && format.key(cells[at]) == key ? at : kNoSlot;
  }
};

template <CellWord Cell>
struct InsertByEvictions {
  Cuckoo2011Ref<Cell> table;
  const Cell* items;
  uint32_t most_exchanges;
  KeyBuildStatus* status;

  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) table.prefetch(table.format.key(items[i]));
  }

  VOX_HD void operator()(uint64_t i) const {
    Cell cell = items[i];
    Cell key = table.format.key(cell);
    if (key == table.format.apart_key()) return keep_apart(status, table.format.value(cell));
    uint32_t slot = table.slot(key, 0);
    for (uint32_t exchange = 0; exchange < most_exchanges; ++exchange) {
      const Cell out = device::atomic_exchange(table.cells + slot, cell);
      if (out == kEmptyCell<Cell>) return;
      if (table.format.key(out) == key) return note_copy(status, out, cell);
      cell = out;
      key = table.format.key(cell);
      slot = table.next_slot(key, slot);
    }
    const Cell held =
        device::atomic_exchange_if_relaxed(table.cells + table.stash_slot(key), kEmptyCell<Cell>, cell);
    if (held == kEmptyCell<Cell>) return;
    if (table.format.key(held) == key) return note_copy(status, held, cell);
    device::atomic_or_relaxed(&status->failed, 1u);
  }
};
static_assert(device::PrefetchingBody<InsertByEvictions<uint64_t>>);

// Finds keys that are stored twice. After the first of two copies has moved on from a cell, the second may have taken
// that cell. Each stored key therefore checks the cells before its own.
template <CellWord Cell>
struct FindStoredTwice {
  Cuckoo2011Ref<Cell> table;
  KeyBuildStatus* status;

  VOX_HD void operator()(uint64_t at) const {
    const Cell cell = table.cells[at];
    if (cell == kEmptyCell<Cell>) return;
    const Cell key = table.format.key(cell);
    uint32_t probes = 1;
    for (; probes <= Cuckoo2011Ref<Cell>::kFunctions; ++probes) {
      const uint32_t slot = table.slot(key, probes - 1);
      if (slot == at) break;
      if (table.format.key(table.cells[slot]) == key) device::atomic_or_relaxed(&status->twice, 1u);
    }
    note_probes(status, probes);
  }
};

template <class Device, CellWord Cell>
class Cuckoo2011Table final : public AttemptedKeyTable<Device, Cell, Cuckoo2011Ref<Cell>> {
 public:
  static constexpr const char* kName = "cuckoo2011";
  static constexpr KeyTableLoad kLoad = {.usual = 0.8, .most = 0.95};

  Cuckoo2011Table(Device& device, const KeyTableOptions& options)
      : AttemptedKeyTable<Device, Cell, Table>(device, options, kMostAttempts) {}

 private:
  using Table = Cuckoo2011Ref<Cell>;
  static constexpr uint32_t kMostAttempts = 12;

  void attempt(const Cell* cells, uint64_t n, const KeyBuildAttempt& attempt) override {
    auto& device = this->device_;
    const double wanted = std::ceil(static_cast<double>(n) / this->load_factor_);
    const uint64_t size = std::max<uint64_t>(1, static_cast<uint64_t>(wanted));
    this->make_cells(size + Table::kStashCells);
    this->ref_ =
        Table::with_seed(this->cells_.data(), static_cast<uint32_t>(size), this->format_, attempt.seed);
    device.for_each(
        {"insert by evictions", sizeof(Cell) + 64.0}, n,
        InsertByEvictions<Cell>{this->ref_, cells, most_exchanges(n, attempt.number), attempt.status});
    device.for_each({"find keys stored twice", sizeof(Cell) + 32.0}, this->slots_,
                    FindStoredTwice<Cell>{this->ref_, attempt.status});
  }

  // Returns the limit on the exchanges for an item. The paper's limit suffices up to a load factor of 0.9. At 0.95,
  // some hundred items in a million need more, whatever the functions are, so each attempt has twice the limit of the
  // previous one.
  static uint32_t most_exchanges(uint64_t n, uint32_t attempt) {
    return static_cast<uint32_t>(std::ceil(7 * std::log2(std::max(2.0, static_cast<double>(n)))))
           << (attempt - 1);
  }

  KeyTableBuild finished(KeyTableBuild build) override {
    this->ref_.stash_used = build.most_probes > Table::kFunctions ? 1 : 0;
    return build;
  }
};

}  // namespace vox::hash
