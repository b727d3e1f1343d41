// The table `open`: plain open addressing along the random sequence of places (probes.h), first come, first
// served. Searches take many probes. The table exists for the upper histogram of García et al. 2011, Figure
// 3; `robin-random` gives the lower one. The places of keys depend on the order in which threads come.
#pragma once

#include "libvox/hash/keyed/build_status.h"
#include "libvox/hash/keyed/probes.h"
#include "libvox/hash/keyed/searched.h"

namespace vox::hash {

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

}  // namespace vox::hash
