// The two tables of voxel keys that the others are compared with: `open` and `sorted`.
#pragma once

#include <bit>
#include <utility>

#include "libvox/device/device.h"
#include "libvox/hash/keyed/attempts.h"
#include "libvox/hash/keyed/keys.h"
#include "libvox/hash/keyed/searched.h"

namespace vox::hash {

// The table `open`: plain open addressing along the random sequence of places (keys.h), first come, first served.
// Searches take many probes. The table reproduces the upper histogram of García et al. 2011, Figure 3; `robin-random`
// reproduces the lower one. The places of keys depend on the order in which threads come.
template <CellWord Cell>
struct OpenRef {
  Cell* cells;
  CellFormat<Cell> format;
  RandomProbes sequence;
  uint32_t most_probes;  // the most that any key needs

  VOX_HD Cell cell(uint32_t slot) const { return cells[slot]; }
  VOX_HD void prefetch(Cell key) const { prefetch_line(cells + sequence.place(sequence.start(key), 1)); }

  template <class Probe>
  VOX_HD uint32_t find(Cell key, Probe& probe) const {
    const auto start = sequence.start(key);
    for (uint32_t age = 1; age <= most_probes; ++age) {
      const uint64_t slot = sequence.place(start, age);
      const Cell cell = cells[slot];
      probe.read(1, cells + slot);
      if (cell == kEmptyCell<Cell>) return kNoSlot;
      if (format.key(cell) == key) return static_cast<uint32_t>(slot);
    }
    return kNoSlot;
  }
};

// Puts each cell into the first of its places that is empty. A cell never leaves its place, so a key that
// comes again finds itself.
template <CellWord Cell>
struct InsertOpen {
  OpenRef<Cell> table;
  const Cell* items;
  KeyBuildStatus* status;

  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) table.prefetch(table.format.key(items[i]));
  }

  VOX_HD void operator()(uint64_t i) const {
    const Cell cell = items[i], key = table.format.key(cell);
    if (key == table.format.apart_key()) return keep_apart(status, table.format.value(cell));
    const auto start = table.sequence.start(key);
    for (uint32_t age = 1; age <= table.most_probes; ++age) {
      Cell* const place = table.cells + table.sequence.place(start, age);
      Cell held = device::atomic_load_relaxed(place);
      if (held == kEmptyCell<Cell>) held = device::atomic_exchange_if_relaxed(place, kEmptyCell<Cell>, cell);
      if (held != kEmptyCell<Cell> && table.format.key(held) != key) continue;
      if (held != kEmptyCell<Cell>) note_copy(status, held, cell);
      note_probes(status, age);
      return;
    }
    device::atomic_or_relaxed(&status->failed, 1u);
  }
};
static_assert(device::PrefetchingBody<InsertOpen<uint64_t>>);

template <class Device, CellWord Cell>
class OpenTable final : public SearchedKeyTable<Device, Cell, OpenRef<Cell>> {
 public:
  static constexpr const char* kName = "open";
  static constexpr KeyTableLoad kLoad = {.usual = 0.8, .most = 1};

  OpenTable(Device& device, const KeyTableOptions& options)
      : SearchedKeyTable<Device, Cell, OpenRef<Cell>>(device, options) {}

 private:
  // A sequence visits all slots, so every key finds a free one.
  KeyTableBuild build_cells(const Cell* cells, uint64_t n) override {
    auto& device = this->device_;
    this->make_cells(slots_for(n, this->load_factor_, 1));
    const auto slots = static_cast<uint32_t>(this->slots_);
    this->ref_ = {this->cells_.data(), this->format_, RandomProbes(slots, attempt_seed(this->options_, 1)),
                  slots};
    auto on_device = device.template make<KeyBuildStatus>(1);
    device.fill(on_device.data(), 1, KeyBuildStatus{});
    device.for_each({"insert into open", sizeof(Cell) + 64.0}, n,
                    InsertOpen<Cell>{this->ref_, cells, on_device.data()});
    KeyBuildStatus status;
    device.download(&status, on_device.data(), 1);
    if (status.conflicts != 0) throw two_values(this->options_);
    if (status.failed != 0) throw cannot_build(this->options_, n, 1);
    this->ref_.most_probes = status.most_probes;
    if (status.apart != 0) this->keep_apart(static_cast<uint32_t>(status.apart - 1));
    return {.keys = n - status.copies, .most_probes = status.most_probes};
  }
};

// The table `sorted`: cells in ascending order and binary search, the baseline of the papers from which the
// other tables come. A slot is a place in the order. A build is a radix sort and a comparison of neighbors,
// which finds copies and keys with two values.
template <CellWord Cell>
struct SortedRef {
  const Cell* cells;
  uint64_t count;
  CellFormat<Cell> format;

  VOX_HD Cell cell(uint32_t slot) const { return cells[slot]; }
  // All searches read the same cell first, so there is nothing to prefetch.
  VOX_HD void prefetch(Cell) const {}

  // Halves the range in which the key may be. A step within the sector of the previous step reads nothing
  // new.
  template <class Probe>
  VOX_HD uint32_t find(Cell key, Probe& probe) const {
    if (count == 0) return kNoSlot;
    constexpr uint64_t kSectorCells = 32 / sizeof(Cell);
    uint64_t first = 0, sector = UINT64_MAX;
    auto read = [&](uint64_t at) {
      if (at / kSectorCells != sector) probe.read(1, cells + at);
      sector = at / kSectorCells;
      return format.key(cells[at]);
    };
    for (uint64_t left = count; left > 1; left -= left / 2)
      if (read(first + left / 2 - 1) < key) first += left / 2;
    return read(first) == key ? static_cast<uint32_t>(first) : kNoSlot;
  }
};

// Returns 1 for a cell with the same key as the previous cell.
template <CellWord Cell>
struct HasKeyOfItsTwin {
  const Cell* cells;
  CellFormat<Cell> format;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return i > 0 && format.key(cells[i]) == format.key(cells[i - 1]) ? 1 : 0;
  }
};

template <class Device, CellWord Cell>
class SortedTable final : public SearchedKeyTable<Device, Cell, SortedRef<Cell>> {
 public:
  static constexpr const char* kName = "sorted";
  static constexpr KeyTableLoad kLoad = {.usual = 1, .most = 1};

  SortedTable(Device& device, const KeyTableOptions& options)
      : SearchedKeyTable<Device, Cell, SortedRef<Cell>>(device, options) {}

 private:
  // The key that is kept apart is the greatest. If it is stored, sorting has already put it in its place.
  KeyTableBuild build_cells(const Cell* cells, uint64_t n) override {
    auto& device = this->device_;
    this->make_cells_unset(n);
    device.copy(this->cells_.data(), cells, n);
    device.sort_keys({"sort cells", 2.0 * sizeof(Cell)}, this->cells_, n, CellFormat<Cell>::kBits);
    const uint64_t keys = leave_one_of_each(n);
    Cell last = kEmptyCell<Cell>;
    if (keys > 0) device.download(&last, this->cells_.data() + keys - 1, 1);
    const bool holds_apart = keys > 0 && this->format_.key(last) == this->format_.apart_key();
    this->slots_ = holds_apart ? keys - 1 : keys;
    if (holds_apart)
      this->keep_apart(this->format_.value(last));
    else
      device.fill(this->cells_.data() + keys, 1, kEmptyCell<Cell>);
    this->ref_ = {this->cells_.data(), this->slots_, this->format_};
    return {.keys = keys, .most_probes = static_cast<uint32_t>(std::bit_width(this->slots_))};
  }

  // Removes copies from the sorted cells, which is rarely needed. Returns how many keys are left.
  uint64_t leave_one_of_each(uint64_t n) {
    const auto twins = HasKeyOfItsTwin<Cell>{this->cells_.data(), this->format_};
    if (this->device_.sum({"look for copies", sizeof(Cell)}, n, twins) == 0) return n;
    const DistinctCells<Cell> distinct =
        distinct_of_sorted(this->device_, this->format_, this->cells_.data(), n);
    if (distinct.conflict) throw two_values(this->options_);
    this->make_cells_unset(distinct.count);
    this->device_.copy(this->cells_.data(), distinct.cells.data(), distinct.count);
    return distinct.count;
  }
};

}  // namespace vox::hash
