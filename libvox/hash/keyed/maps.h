// Maps on tables of voxel keys: from a key to a number, or to several values.
#pragma once

#include <bit>

#include "libvox/base/bits.h"
#include "libvox/device/atomics.h"
#include "libvox/hash/keyed/key_table.h"

namespace vox::hash {

// Numbers the different keys of a batch and finds the key of a number: the compacting table and two-way index
// of Alcantara et al. 2009, §4.3, on any table of voxel keys. A prefix sum over the table's cells gives the numbers
// 0 to count() - 1 to the cells that hold a key, in the order of their slots.

constexpr uint32_t kNoNumber = UINT32_MAX;  // the number of a key that is not stored

template <CellWord Cell>
struct TakeNumberedKeys {
  HoldsKey<Cell> holds;
  CellFormat<Cell> format;
  const uint32_t* numbers;  // the number of the key at each slot
  Cell* keys;
  VOX_HD void operator()(uint64_t slot) const {
    if (holds(slot)) keys[numbers[slot]] = format.key(holds.cell(slot));
  }
};

struct NumberOfSlot {
  const uint32_t* numbers;  // the number of the key at each slot
  uint32_t* found;          // slots, which become numbers
  VOX_HD void operator()(uint64_t i) const { found[i] = found[i] == kNoSlot ? kNoNumber : numbers[found[i]]; }
};

template <class Device, CellWord Cell>
class KeyIndex {
 public:
  KeyIndex(Device& device, const KeyTableOptions& options)
      : device_(device), table_(make_key_table<Device, Cell>(device, options)) {}

  // Builds the table of these cells, and numbers its keys. Throws what the table throws, and is then empty.
  KeyTableBuild build(const Cell* cells, uint64_t n) {
    return build_or_empty([&] { return build_numbered(cells, n); }, [&] { build_numbered(nullptr, 0); });
  }

  uint64_t count() const { return count_; }
  // The key of each number, in the device's memory.
  const Cell* keys() const { return keys_.data(); }
  // The number at each slot that holds a key, in the device's memory.
  const uint32_t* numbers_of_slots() const { return numbers_.data(); }
  const KeyTable<Device, Cell>& table() const { return *table_; }

  // Searches: numbers[i] becomes the number of keys[i], or kNoNumber.
  void find(const Cell* keys, uint64_t n, uint32_t* numbers) const {
    table_->find(keys, n, numbers);
    device_.for_each({"find numbers of slots", 40}, n, NumberOfSlot{numbers_.data(), numbers});
  }

  uint64_t bytes() const {
    return table_->bytes() + numbers_.size() * sizeof(uint32_t) + keys_.size() * sizeof(Cell);
  }

 private:
  KeyTableBuild build_numbered(const Cell* cells, uint64_t n) {
    const KeyTableBuild result = table_->build(cells, n);
    const uint64_t slots = table_->slots() + 1;
    const HoldsKey<Cell> holds = table_->holds_key();
    numbers_.reset();
    numbers_ = device_.template make<uint32_t>(slots + 1);
    count_ = device_.exclusive_scan({"number keys", sizeof(Cell) + 4.0}, slots, holds, numbers_.data());
    keys_.reset();
    keys_ = device_.template make<Cell>(count_);
    device_.for_each({"take numbered keys", 2.0 * sizeof(Cell) + 4}, slots,
                     TakeNumberedKeys<Cell>{holds, table_->format(), numbers_.data(), keys_.data()});
    return result;
  }

  Device& device_;
  std::unique_ptr<KeyTable<Device, Cell>> table_;
  device::Buffer<uint32_t> numbers_;
  device::Buffer<Cell> keys_;
  uint64_t count_ = 0;
};

// A map from keys to runs of values, which stand side by side in one array: the multi-value table of
// Alcantara et al. 2009, §4.2, on any table of voxel keys. Atomic additions count the items of each key, a
// prefix sum finds where the run of each key begins, and the values are moved there.

// The order of the values in a run.
enum class RunOrder : uint8_t {
  kInput,  // the input's order: values are sorted stably by the numbers of their keys, which have few bits
  kAny,    // as in the paper, by races: the place of an item is the previous value of its run's counter
};

// The place of a key's values. A key that is not stored has none.
struct KeyRun {
  uint32_t begin = 0, count = 0;
  bool operator==(const KeyRun&) const = default;
};
static_assert(sizeof(KeyRun) == 8);

struct CountRuns {
  const uint32_t* numbers;
  uint32_t* counts;
  uint32_t* places;  // the place of each value in its run; nullptr if not needed
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t place = device::atomic_count_together(counts + numbers[i]);
    if (places != nullptr) places[i] = place;
  }
};

struct RunCount {
  const uint32_t* counts;
  VOX_HD uint32_t operator()(uint64_t number) const { return counts[number]; }
};

struct PlaceOfValue {
  const uint32_t* numbers;
  const uint32_t* starts;
  uint32_t* places;  // places in the runs, which become places in the array
  VOX_HD void operator()(uint64_t i) const { places[i] += starts[numbers[i]]; }
};

struct FindRuns {
  const uint32_t* numbers;
  const uint32_t* starts;
  KeyRun* runs;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t number = numbers[i];
    runs[i] = number == kNoNumber ? KeyRun{} : KeyRun{starts[number], starts[number + 1] - starts[number]};
  }
};

template <class Device, CellWord Cell>
class MultiMap {
 public:
  // The map's keys have no values of their own, so options.value_bits must be 0.
  MultiMap(Device& device, const KeyTableOptions& options, RunOrder order = RunOrder::kInput)
      : device_(device), order_(order), index_(device, options) {
    check_values_are_beside(options);
  }

  // Replaces the map's content: maps keys[i] to values[i] for every i < n. A key may come with any number of
  // values. Throws an Error if the table cannot be built; then the map is empty.
  KeyTableBuild build(const Cell* keys, const uint32_t* values, uint64_t n) {
    return build_or_empty([&] { return build_runs(keys, values, n); },
                          [&] { build_runs(nullptr, nullptr, 0); });
  }

  // Search: runs[i] becomes the place of the values of keys[i] in values().
  void find(const Cell* keys, uint64_t n, KeyRun* runs) const {
    auto numbers = device_.template make<uint32_t>(n);
    index_.find(keys, n, numbers.data());
    device_.for_each({"find runs", 44}, n, FindRuns{numbers.data(), starts_.data(), runs});
  }

  // All values, run by run, in the device's memory. The values of the index's number i are
  // [starts()[i], starts()[i + 1]).
  const uint32_t* values() const { return values_.data(); }
  const uint32_t* starts() const { return starts_.data(); }
  const KeyIndex<Device, Cell>& index() const { return index_; }

  uint64_t bytes() const { return index_.bytes() + (starts_.size() + values_.size()) * sizeof(uint32_t); }

 private:
  KeyTableBuild build_runs(const Cell* keys, const uint32_t* values, uint64_t n) {
    if (n >= kNoSlot) throw Error("a map of voxel keys can hold at most 2^32 - 2 values");
    const KeyTableBuild result = index_.build(keys, n);
    auto numbers = device_.template make<uint32_t>(n);
    index_.find(keys, n, numbers.data());
    auto counts = device_.template make<uint32_t>(index_.count());
    device::Buffer<uint32_t> places;
    if (order_ == RunOrder::kAny) places = device_.template make<uint32_t>(n);
    device_.fill(counts.data(), counts.size(), 0u);
    device_.for_each({"count runs", 16}, n, CountRuns{numbers.data(), counts.data(), places.data()});
    starts_.reset();
    starts_ = device_.template make<uint32_t>(index_.count() + 1);
    device_.exclusive_scan({"find starts of runs", 8}, index_.count(), RunCount{counts.data()},
                           starts_.data());
    values_.reset();
    values_ = device_.template make<uint32_t>(n);
    if (n > 0 && order_ == RunOrder::kInput) {
      device_.copy(values_.data(), values, n);
      const auto bits = static_cast<uint32_t>(std::bit_width(index_.count() - 1));
      device_.sort_pairs({"sort values by run", 16}, numbers, values_, n, bits);
    } else {
      device_.for_each({"find places of values", 16}, n,
                       PlaceOfValue{numbers.data(), starts_.data(), places.data()});
      device_.scatter({"scatter values", 12}, n, places.data(), values, values_.data());
    }
    return result;
  }

  Device& device_;
  RunOrder order_;
  KeyIndex<Device, Cell> index_;
  device::Buffer<uint32_t> starts_, values_;
};

}  // namespace vox::hash
