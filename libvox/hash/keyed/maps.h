// Maps on tables of voxel keys: from a key to one value, to a number, or to several values.
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

#include "libvox/base/bits.h"
#include "libvox/device/atomics.h"
#include "libvox/hash/keyed/key_table.h"

namespace vox::hash {

// A map from keys to values that do not fit into cells, on any table of voxel keys. Beside the table's cells
// lies an array with a value for each slot. A search reads the table and then the value at the slot that it
// has found.

template <class T>
concept MapValue = std::is_trivially_copyable_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);

// A value as a map stores it: in words, which several threads may write at the same time, and within one
// sector.
template <MapValue Value>
struct alignas(sizeof(Value)) ValueWords {
  using Word = std::conditional_t<sizeof(Value) == 4, uint32_t, uint64_t>;
  static constexpr uint32_t kWords = sizeof(Value) == 16 ? 2 : 1;

  Word word[kWords];

  VOX_HD static ValueWords of(const Value& value) {
    ValueWords words;
    std::memcpy(&words, &value, sizeof(Value));
    return words;
  }
  VOX_HD Value value() const {
    Value value;
    std::memcpy(&value, word, sizeof(Value));
    return value;
  }
};
static_assert(sizeof(ValueWords<uint32_t>) == 4 && sizeof(ValueWords<uint64_t>) == 8);

// Stores the values of a batch. If a key comes with two values, either of them may be stored, or words of
// both.
template <MapValue Value>
struct StoreValues {
  const Value* values;
  const uint32_t* slots;
  ValueWords<Value>* stored;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) prefetch_line(stored + slots[i]);
  }
  VOX_HD void operator()(uint64_t i) const {
    const auto words = ValueWords<Value>::of(values[i]);
    for (uint32_t word = 0; word < words.kWords; ++word)
      device::atomic_store_relaxed(stored[slots[i]].word + word, words.word[word]);
  }
};

// Returns 1 for a value that is not the stored one. If a key has two different values, this is the case for
// at least one of them, whatever is stored.
template <MapValue Value>
struct IsNotStored {
  const Value* values;
  const uint32_t* slots;
  const ValueWords<Value>* stored;
  VOX_HD uint32_t operator()(uint64_t i) const {
    const auto words = ValueWords<Value>::of(values[i]);
    uint32_t others = 0;
    for (uint32_t word = 0; word < words.kWords; ++word)
      others |= words.word[word] != stored[slots[i]].word[word] ? 1 : 0;
    return others;
  }
};

template <MapValue Value>
struct TakeValues {
  const ValueWords<Value>* stored;
  const uint32_t* slots;
  Value none;
  Value* values;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1 && slots[i] != kNoSlot) prefetch_line(stored + slots[i]);
  }
  VOX_HD void operator()(uint64_t i) const {
    values[i] = slots[i] == kNoSlot ? none : stored[slots[i]].value();
  }
};

template <class Device, CellWord Cell, MapValue Value>
class KeyValueMap {
 public:
  // The cells of the table hold only keys, so options.value_bits must be 0.
  KeyValueMap(Device& device, const KeyTableOptions& options)
      : device_(device), options_(options), table_(make_key_table<Device, Cell>(device, options)) {
    check_values_are_beside(options);
  }

  // Replaces the map's content: maps keys[i] to values[i] for every i < n. Equal keys may come more than once
  // if all bytes of their values are equal. Throws Error if they are not, or if the table cannot be built;
  // then the map is empty.
  KeyTableBuild build(const Cell* keys, const Value* values, uint64_t n) {
    return build_or_empty([&] { return build_values(keys, values, n); },
                          [&] { build_values(nullptr, nullptr, 0); });
  }

  // Search: values[i] becomes the value of keys[i], or `none` if the key is not stored. A caller that has no
  // spare value for `none` can search table() for slots and read values_of_slots().
  void find(const Cell* keys, uint64_t n, const Value& none, Value* values) const {
    auto slots = device_.template make<uint32_t>(n);
    table_->find(keys, n, slots.data());
    device_.for_each({"take values", 36.0 + sizeof(Value)}, n,
                     TakeValues<Value>{values_.data(), slots.data(), none, values});
  }

  // The value at each slot that holds a key, in the device's memory.
  const ValueWords<Value>* values_of_slots() const { return values_.data(); }
  const KeyTable<Device, Cell>& table() const { return *table_; }
  uint64_t bytes() const { return table_->bytes() + values_.size() * sizeof(Value); }

 private:
  KeyTableBuild build_values(const Cell* keys, const Value* values, uint64_t n) {
    const KeyTableBuild result = table_->build(keys, n);
    values_.reset();
    values_ = device_.template make<ValueWords<Value>>(table_->slots() + 1);
    auto slots = device_.template make<uint32_t>(n);
    table_->find(keys, n, slots.data());
    device_.for_each({"store values", 36.0 + sizeof(Value)}, n,
                     StoreValues<Value>{values, slots.data(), values_.data()});
    if (result.keys < n && device_.sum({"compare values", 36.0 + sizeof(Value)}, n,
                                       IsNotStored<Value>{values, slots.data(), values_.data()}) != 0)
      throw two_values(options_);
    return result;
  }

  Device& device_;
  const KeyTableOptions options_;
  std::unique_ptr<KeyTable<Device, Cell>> table_;
  device::Buffer<ValueWords<Value>> values_;
};

// Numbers the different keys of a batch and finds the key of a number: the compacting table and two-way index
// of Alcantara et al. 2009, §4.3, on any table of voxel keys. A prefix sum over the table's cells numbers
// those that hold a key from 0 to count() - 1, in the order of their slots.

constexpr uint32_t kNoNumber = UINT32_MAX;  // the number of a key that is not stored

template <CellWord Cell>
struct TakeNumberedKeys {
  HoldsKey<Cell> holds;
  CellFormat<Cell> format;
  const uint32_t* numbers;  // one for each slot
  Cell* keys;
  VOX_HD void operator()(uint64_t slot) const {
    if (holds(slot)) keys[numbers[slot]] = format.key(holds.cell(slot));
  }
};

struct NumberOfSlot {
  const uint32_t* numbers;  // one for each slot
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
  uint32_t* places;  // in the run; nullptr if not needed
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
  uint32_t* places;  // first in the run, then in the array
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
  // values. Throws Error if the table cannot be built; then the map is empty.
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

  // All values, run by run, in the device's memory. The run of the index's number i goes from starts()[i] to
  // before starts()[i + 1].
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
