// Tables whose build may fail, and is then tried again with other hash functions. The host ends a build by reading the
// status that the build's threads have written.
#pragma once

#include "libvox/device/atomics.h"
#include "libvox/device/runs.h"
#include "libvox/hash/keyed/keys.h"
#include "libvox/hash/keyed/searched.h"

namespace vox::hash {

// The results that the threads of a build report to the host.
struct KeyBuildStatus {
  uint32_t failed;       // 1 if some key found no place
  uint32_t conflicts;    // 1 if a key came with two values
  uint32_t twice;        // 1 if a key may be stored in two places
  uint32_t most_probes;  // the greatest number of places that a search for a key reads
  uint64_t copies;       // cells that equal an earlier cell
  uint64_t restarts;     // restarts of parts of the table
  uint64_t turns;        // turns in which parts of the table were built; failed tries do not count
  uint64_t sectors;      // sectors touched, if they are counted
  uint64_t apart;        // 1 + the value of the key that is kept apart, 0 if there is none
};
static_assert(sizeof(KeyBuildStatus) == 56);

// Stores the value of the key that is all ones.
VOX_HD inline void keep_apart(KeyBuildStatus* status, uint64_t value) {
  const uint64_t before = device::atomic_exchange_if_relaxed(&status->apart, uint64_t{0}, value + 1);
  if (before == value + 1) device::atomic_add(&status->copies, uint64_t{1});
  if (before != 0 && before != value + 1) device::atomic_or_relaxed(&status->conflicts, 1u);
}

// Reports how many places the search for a key reads.
VOX_HD inline void note_probes(KeyBuildStatus* status, uint32_t probes) {
  if (probes > device::atomic_load_relaxed(&status->most_probes))
    device::atomic_max(&status->most_probes, probes);
}

// Reports that a cell equals one that is stored already, or that its key has two values.
template <CellWord Cell>
VOX_HD void note_copy(KeyBuildStatus* status, Cell stored, Cell cell) {
  if (stored == cell)
    device::atomic_add(&status->copies, uint64_t{1});
  else
    device::atomic_or_relaxed(&status->conflicts, 1u);
}

// Finds the different cells among cells that may come more than once.
template <CellWord Cell>
struct DiffersFromItsTwin {
  const Cell* cells;
  CellFormat<Cell> format;
  VOX_HD bool operator()(uint64_t i) const {
    return i > 0 && format.key(cells[i]) == format.key(cells[i - 1]) && cells[i] != cells[i - 1];
  }
};

template <CellWord Cell>
struct DistinctCells {
  device::Buffer<Cell> cells;  // in ascending order
  uint64_t count = 0;
  bool conflict = false;  // true if a key comes with two values
};

template <class Device, CellWord Cell>
DistinctCells<Cell> distinct_of_sorted(Device& device, CellFormat<Cell> format, const Cell* sorted,
                                       uint64_t n) {
  DistinctCells<Cell> distinct;
  distinct.conflict = device.sum("find conflicts", n, DiffersFromItsTwin<Cell>{sorted, format}) != 0;
  const device::Runs runs = device::find_runs(device, "select different cells", sorted, n);
  distinct.count = runs.count;
  distinct.cells = device.template make<Cell>(runs.count);
  device.for_each("take cells", runs.count,
                  device::TakeChosen<Cell>{sorted, runs.starts.data(), distinct.cells.data()});
  return distinct;
}

template <class Device, CellWord Cell>
DistinctCells<Cell> distinct_cells(Device& device, CellFormat<Cell> format, const Cell* cells, uint64_t n) {
  auto sorted = device.template make<Cell>(n);
  device.copy(sorted.data(), cells, n);
  device.sort_keys({"sort cells", 2.0 * sizeof(Cell)}, sorted, n, CellFormat<Cell>::kBits);
  return distinct_of_sorted(device, format, sorted.data(), n);
}

// Returns the cells that a table holds, and these behind them, for a build of a table of both.
template <class Device, CellWord Cell>
device::Buffer<Cell> stored_and_more(Device& device, const KeyTable<Device, Cell>& table, const Cell* more,
                                     uint64_t n) {
  const uint64_t slots = table.slots() + 1;  // including the cell that is kept apart
  auto chosen = device.template make<uint32_t>(slots);
  const uint64_t stored = device.select("select stored cells", slots, table.holds_key(), chosen.data());
  auto all = device.template make<Cell>(stored + n);
  device.for_each("take cells", stored, device::TakeChosen<Cell>{table.cells(), chosen.data(), all.data()});
  device.copy(all.data() + stored, more, n);
  return all;
}

struct KeyBuildAttempt {
  uint32_t number;         // from 1 on
  uint64_t seed;           // for the attempt's hash functions
  KeyBuildStatus* status;  // on the device; zeros, to which the attempt adds
};

template <class Device, CellWord Cell, class Ref>
class AttemptedKeyTable : public SearchedKeyTable<Device, Cell, Ref> {
 protected:
  AttemptedKeyTable(Device& device, const KeyTableOptions& options, uint32_t most_attempts)
      : SearchedKeyTable<Device, Cell, Ref>(device, options),
        most_attempts_(options.most_attempts.value_or(most_attempts)) {}

  KeyTableBuild build_cells(const Cell* cells, uint64_t n) final {
    KeyTableBuild result;
    DistinctCells<Cell> distinct;
    for (;; ++result.attempts) {
      const KeyBuildStatus status = attempt(cells, n, result.attempts);
      result.restarts += status.restarts;
      result.turns = status.turns;
      if (status.conflicts != 0) throw two_values(this->options_);
      if (status.twice != 0) {  // rare: two threads stored the same key at the same time
        distinct = distinct_cells(this->device_, this->format_, cells, n);
        if (distinct.conflict) throw two_values(this->options_);
        cells = distinct.cells.data();
        n = distinct.count;
        --result.attempts;
        continue;
      }
      result.keys = n - status.copies;
      result.most_probes = status.most_probes;
      if (status.failed == 0) break;
      if (result.attempts == most_attempts_) throw cannot_build(this->options_, n, result.attempts);
    }
    return finished(result);
  }

  // Makes the cells and tries once to build the table.
  virtual void attempt(const Cell* cells, uint64_t n, const KeyBuildAttempt& attempt) = 0;
  // Called after the successful attempt; returns the final results of the build.
  virtual KeyTableBuild finished(KeyTableBuild build) { return build; }

 private:
  KeyBuildStatus attempt(const Cell* cells, uint64_t n, uint32_t number) {
    auto& device = this->device_;
    auto on_device = device.template make<KeyBuildStatus>(1);
    device.fill(on_device.data(), 1, KeyBuildStatus{});
    attempt(cells, n, {number, attempt_seed(this->options_, number), on_device.data()});
    KeyBuildStatus status;
    device.download(&status, on_device.data(), 1);
    if (status.apart != 0) this->keep_apart(static_cast<uint32_t>(status.apart - 1));
    return status;
  }

  uint32_t most_attempts_;
};

}  // namespace vox::hash
