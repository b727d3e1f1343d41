// Measures the multi-value and the compacting table (Alcantara et al. 2009, §4.2 and §4.3) on top of each
// table of voxel keys. The keys are random, each has several values, and the values of one key are far apart
// in the input. As in the paper, there is one search for a random stored key for each value.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "libvox/hash/keyed/maps.h"
#include "libvox/measure/key_sets.h"
#include "libvox/measure/keys_bench.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

// Writes the input: item i has the key with number i % keys, and the value i.
template <hash::CellWord Cell>
struct WriteMultiItems {
  uint64_t keys;
  uint32_t key_bits;
  Cell* to;
  uint32_t* values;
  VOX_HD void operator()(uint64_t i) const {
    to[i] = static_cast<Cell>(mixed_number(i % keys, key_bits));
    values[i] = static_cast<uint32_t>(i);
  }
};

template <hash::CellWord Cell>
struct WriteMultiSearches {
  uint64_t keys;
  uint32_t key_bits;
  uint64_t seed;
  Cell* to;
  uint32_t* numbers;
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t number = mix64(i + (seed << 40)) % keys;
    to[i] = static_cast<Cell>(mixed_number(number, key_bits));
    numbers[i] = static_cast<uint32_t>(number);
  }
};

// Returns 0 if a run has as many values as its key has items and its first and last value belong to the key,
// otherwise 1.
struct IsWrongRun {
  uint64_t items, keys;
  const uint32_t* numbers;
  const hash::KeyRun* runs;
  const uint32_t* values;
  VOX_HD uint32_t operator()(uint64_t i) const {
    const auto [begin, count] = runs[i];
    const uint64_t number = numbers[i];
    if (count != items / keys + (number < items % keys ? 1 : 0) || uint64_t{begin} + count > items) return 1;
    return values[begin] % keys != number || values[begin + count - 1] % keys != number ? 1 : 0;
  }
};

// Returns 0 if the number that was found belongs to the searched key, otherwise 1.
template <hash::CellWord Cell>
struct IsWrongNumber {
  const Cell* searched;
  const uint32_t* found;
  const Cell* keys;
  uint64_t count;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return found[i] >= count || keys[found[i]] != searched[i] ? 1 : 0;
  }
};

// The input of a build, and the searches.
template <hash::CellWord Cell>
struct MultiItems {
  uint64_t count = 0, keys = 0;  // number of items and of searches; number of different keys
  device::Buffer<Cell> items, searches;
  device::Buffer<uint32_t> values, numbers;  // values of the items; numbers of the searched keys
};

// The two structures that are measured, a map and an index. Each builds, searches, and counts wrong results.
template <class Device, hash::CellWord Cell>
class MeasuredMap {
 public:
  static constexpr KeyOp kBuild = KeyOp::BuildMulti, kFind = KeyOp::FindMulti;

  MeasuredMap(Device& device, const hash::KeyTableOptions& options, const MultiItems<Cell>& items)
      : device_(device),
        items_(items),
        map_(device, options, hash::RunOrder::kAny),
        runs_(device.template make<hash::KeyRun>(items.count)) {}

  hash::KeyTableBuild build() { return map_.build(items_.items.data(), items_.values.data(), items_.count); }
  void find() { map_.find(items_.searches.data(), items_.count, runs_.data()); }
  uint64_t wrong() {
    return device_.sum(
        "check runs", items_.count,
        IsWrongRun{items_.count, items_.keys, items_.numbers.data(), runs_.data(), map_.values()});
  }
  uint64_t bytes() const { return map_.bytes(); }

 private:
  Device& device_;
  const MultiItems<Cell>& items_;
  hash::MultiMap<Device, Cell> map_;
  device::Buffer<hash::KeyRun> runs_;
};

template <class Device, hash::CellWord Cell>
class MeasuredIndex {
 public:
  static constexpr KeyOp kBuild = KeyOp::BuildIndex, kFind = KeyOp::FindIndex;

  MeasuredIndex(Device& device, const hash::KeyTableOptions& options, const MultiItems<Cell>& items)
      : device_(device),
        items_(items),
        index_(device, options),
        found_(device.template make<uint32_t>(items.count)) {}

  hash::KeyTableBuild build() { return index_.build(items_.items.data(), items_.count); }
  void find() { index_.find(items_.searches.data(), items_.count, found_.data()); }
  uint64_t wrong() {
    return device_.sum(
        "check numbers", items_.count,
        IsWrongNumber<Cell>{items_.searches.data(), found_.data(), index_.keys(), index_.count()});
  }
  uint64_t bytes() const { return index_.bytes(); }

 private:
  Device& device_;
  const MultiItems<Cell>& items_;
  hash::KeyIndex<Device, Cell> index_;
  device::Buffer<uint32_t> found_;
};

template <class Device, hash::CellWord Cell>
class KeyMultiBench {
 public:
  // Measures this many items and as many searches, with `multiplicity` values a key.
  KeyMultiBench(Device& device, const KeysBenchOptions& options, uint64_t items, uint32_t multiplicity,
                uint32_t key_bits)
      : device_(device), options_(options) {
    items_.count = items;
    items_.keys = std::max<uint64_t>(1, items / multiplicity);
    first_.set = kKeySetNames[static_cast<size_t>(KeySetKind::Random)];
    first_.key_bits = key_bits;
    first_.cell_bits = hash::CellFormat<Cell>::kBits;
    first_.keys = items_.keys;
    first_.multiplicity = multiplicity;
    first_.items = items;
    first_.repetitions = options.repetitions;
  }

  // Returns the rows of a table, or one row with the reason if it cannot be measured.
  std::vector<KeysBenchRow> measure(const std::string& table, double load_factor) {
    KeysBenchRow first = first_;
    first.table = table;
    first.load_factor = load_factor;
    try {
      write_items();
      const hash::KeyTableOptions options = {.table = table, .load_factor = load_factor};
      std::vector<KeysBenchRow> rows = rows_of<MeasuredMap<Device, Cell>>(first, options);
      for (const KeysBenchRow& row : rows_of<MeasuredIndex<Device, Cell>>(first, options))
        rows.push_back(row);
      return rows;
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      const auto op = std::ranges::find_if(kMultiOps, [&](KeyOp one) { return is_asked_for(options_, one); });
      first.op = kKeyOpNames[static_cast<size_t>(*op)];
      first.error = error.what();
      return {first};
    }
  }

 private:
  void write_items() {
    if (items_.items.size() > 0) return;
    check_random_keys(items_.keys, 0, first_.key_bits);
    items_.items = device_.template make<Cell>(items_.count);
    items_.searches = device_.template make<Cell>(items_.count);
    items_.values = device_.template make<uint32_t>(items_.count);
    items_.numbers = device_.template make<uint32_t>(items_.count);
    device_.for_each(
        "write items", items_.count,
        WriteMultiItems<Cell>{items_.keys, first_.key_bits, items_.items.data(), items_.values.data()});
  }

  // Measures the operations that are asked for: building, and searching in what was built.
  template <class Measured>
  std::vector<KeysBenchRow> rows_of(KeysBenchRow first, const hash::KeyTableOptions& options) {
    const bool asks_for_build = is_asked_for(options_, Measured::kBuild),
               asks_for_find = is_asked_for(options_, Measured::kFind);
    std::vector<KeysBenchRow> rows;
    if (!asks_for_build && !asks_for_find) return rows;
    Measured measured(device_, options, items_);
    const auto build = [&] {
      const hash::KeyTableBuild built = measured.build();
      first.note_build(built, measured.bytes());
    };
    if (asks_for_build) {
      const Timing time =
          repeated(options_.repetitions, [&](uint32_t) { return device_.seconds([&] { build(); }); });
      rows.push_back(first);
      rows.back().op = kKeyOpNames[static_cast<size_t>(Measured::kBuild)];
      rows.back().time = time;
    } else {
      build();
    }
    if (asks_for_find) {
      first.op = kKeyOpNames[static_cast<size_t>(Measured::kFind)];
      rows.push_back(searched(first, measured));
    }
    return rows;
  }

  template <class Measured>
  KeysBenchRow searched(KeysBenchRow row, Measured& measured) {
    row.time = repeated(options_.repetitions, [&](uint32_t repetition) {
      device_.for_each("write searches", items_.count,
                       WriteMultiSearches<Cell>{items_.keys, row.key_bits, repetition, items_.searches.data(),
                                                items_.numbers.data()});
      const double elapsed = device_.seconds([&] { measured.find(); });
      row.wrong += measured.wrong();
      return elapsed;
    });
    row.note_wrong();
    return row;
  }

  Device& device_;
  const KeysBenchOptions& options_;
  MultiItems<Cell> items_;
  KeysBenchRow first_;
};

}  // namespace vox::measure
