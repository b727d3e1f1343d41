// Measures all tables of voxel keys with one set of keys.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/key_sets.h"
#include "libvox/measure/keys_bench.h"
#include "libvox/measure/repeated.h"

namespace vox::measure {

// Writes keys to search for, of which `percent` are stored, and the values that they have.
template <hash::CellWord Cell>
struct WriteSearches {
  hash::CellFormat<Cell> format;
  const Cell *cells, *absent;
  uint64_t stored, absent_count;
  uint32_t percent;
  uint64_t seed;
  Cell* keys;
  uint32_t* values;
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t random = mix64(i + (seed << 40)), which = mix64(random);
    if (random % 100 < percent) {
      const Cell cell = cells[which % stored];
      keys[i] = format.key(cell);
      values[i] = format.value(cell);
    } else {
      keys[i] = absent[which % absent_count];
      values[i] = hash::kNoValue;
    }
  }
};

struct IsWrongValue {
  const uint32_t *expected, *found;
  VOX_HD uint32_t operator()(uint64_t i) const { return expected[i] != found[i] ? 1 : 0; }
};
struct NumberAt {
  const uint32_t* numbers;
  VOX_HD uint32_t operator()(uint64_t i) const { return numbers[i]; }
};

template <class Device, hash::CellWord Cell>
class KeySetBench {
 public:
  // `first` has what all rows share.
  KeySetBench(Device& device, const KeysBenchOptions& options, uint64_t searches, const KeySet<Cell>& set,
              KeysBenchRow first)
      : device_(device), options_(options), searches_(searches), set_(set), first_(std::move(first)) {}

  // The rows of a table; one that says why, where it cannot be measured.
  std::vector<KeysBenchRow> measure(const std::string& name, double load_factor) {
    KeysBenchRow first = first_;
    first.table = name;
    first.load_factor = load_factor;
    std::vector<KeysBenchRow> rows;
    try {
      const auto table = hash::make_key_table<Device, Cell>(
          device_, {.table = name, .load_factor = load_factor, .value_bits = options_.value_bits});
      rows = measure_builds(*table, first);
      for (const KeysBenchRow& row : measure_searches(*table, first)) rows.push_back(row);
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      first.op = kKeyOpNames[static_cast<size_t>(options_.ops.front())];
      first.error = error.what();
      rows = {first};
    }
    return rows;
  }

  // The values of the walk's keys as the last table gave them; none where it was not searched for them.
  std::vector<uint32_t> found_values() {
    std::vector<uint32_t> values(walk_found_ ? set_.walk.size() : 0);
    device_.download(values.data(), found_.data(), values.size());
    return values;
  }

 private:
  using Table = hash::KeyTable<Device, Cell>;

  bool is_asked_for(KeyOp op) const { return std::ranges::count(options_.ops, op) > 0; }

  KeysBenchRow row_of(KeysBenchRow row, KeyOp op, uint64_t items) const {
    row.op = kKeyOpNames[static_cast<size_t>(op)];
    row.items = items;
    row.repetitions = options_.repetitions;
    return row;
  }

  // Builds the table: timed where this is asked for, and in any case once. What the build has come to is for
  // all rows of the table.
  std::vector<KeysBenchRow> measure_builds(Table& table, KeysBenchRow& first) {
    std::vector<KeysBenchRow> rows;
    if (is_asked_for(KeyOp::BuildOrdered))
      rows.push_back(timed_build(table, first, KeyOp::BuildOrdered, set_.ordered_cells));
    if (is_asked_for(KeyOp::Build)) rows.push_back(timed_build(table, first, KeyOp::Build, set_.cells));
    if (rows.empty()) build(table, first, set_.cells);
    return rows;
  }

  KeysBenchRow timed_build(Table& table, KeysBenchRow& first, KeyOp op, const device::Buffer<Cell>& cells) {
    const Timing time = repeated(
        options_.repetitions, [&](uint32_t) { return device_.seconds([&] { build(table, first, cells); }); });
    KeysBenchRow row = row_of(first, op, set_.keys);
    row.time = time;
    return row;
  }

  void build(Table& table, KeysBenchRow& first, const device::Buffer<Cell>& cells) {
    const hash::KeyTableBuild build = table.build(cells.data(), set_.keys);
    if (build.keys != set_.keys)
      throw Error("the table has " + format_count(build.keys) + " keys instead of " +
                  format_count(set_.keys));
    first.bytes = table.bytes();
    first.attempts = build.attempts;
    first.restarts = build.restarts;
    first.most_probes = build.most_probes;
  }

  std::vector<KeysBenchRow> measure_searches(const Table& table, const KeysBenchRow& first) {
    std::vector<KeysBenchRow> rows;
    const auto find = [&](const Cell* keys, uint64_t n, uint32_t* values) {
      table.find_values(keys, n, values);
    };
    const auto find_stored = [&](const Cell* keys, uint64_t n, uint32_t* values) {
      table.find_values_of_stored(keys, n, values);
    };
    walk_found_ = false;
    if (is_asked_for(KeyOp::FindStored))
      rows.push_back(random_search(table, row_of(first, KeyOp::FindStored, searches_), 100, find_stored));
    for (const uint32_t hit_rate : options_.hit_rates)
      if (is_asked_for(KeyOp::Find) && (hit_rate == 100 || set_.absent.size() > 0)) {
        KeysBenchRow row = row_of(first, KeyOp::Find, searches_);
        row.hit_rate = hit_rate;
        rows.push_back(random_search(table, std::move(row), hit_rate, find));
      }
    if (is_asked_for(KeyOp::FindAll) && set_.walk.size() > 0)
      rows.push_back(search_all(table, row_of(first, KeyOp::FindAll, set_.walk.size()), find));
    return rows;
  }

  template <class Find>
  KeysBenchRow search_all(const Table& table, KeysBenchRow row, const Find& find) {
    make_room(row.items);
    set_sectors(table, row, set_.walk.data());
    row.time = repeated(options_.repetitions, [&](uint32_t) {
      return search(row, set_.walk.data(), set_.walk_values.data(), find);
    });
    walk_found_ = true;
    return finished(std::move(row));
  }

  // Every repetition searches for other keys, so that no cache holds what it needs from the one before.
  template <class Find>
  KeysBenchRow random_search(const Table& table, KeysBenchRow row, uint32_t hit_rate, const Find& find) {
    make_room(row.items);
    if (search_keys_.size() < row.items) {
      search_keys_ = device_.template make<Cell>(row.items);
      expected_ = device_.template make<uint32_t>(row.items);
    }
    row.time = repeated(options_.repetitions, [&](uint32_t repetition) {
      device_.for_each("write searches", row.items,
                       WriteSearches<Cell>{table.format(), set_.cells.data(), set_.absent.data(), set_.keys,
                                           set_.absent.size(), hit_rate, repetition, search_keys_.data(),
                                           expected_.data()});
      return search(row, search_keys_.data(), expected_.data(), find);
    });
    set_sectors(table, row, search_keys_.data());
    return finished(std::move(row));
  }

  void make_room(uint64_t n) {
    if (found_.size() >= n) return;
    found_.reset();
    found_ = device_.template make<uint32_t>(n);
  }

  // How long a search takes; what it finds is compared with what is expected.
  template <class Find>
  double search(KeysBenchRow& row, const Cell* keys, const uint32_t* expected, const Find& find) {
    constexpr uint32_t kUntouched = UINT32_MAX - 1;  // no search gives this
    device_.fill(found_.data(), row.items, kUntouched);
    const double elapsed = device_.seconds([&] { find(keys, row.items, found_.data()); });
    row.wrong += device_.sum("check values", row.items, IsWrongValue{expected, found_.data()});
    return elapsed;
  }

  void set_sectors(const Table& table, KeysBenchRow& row, const Cell* keys) {
    table.count_sectors(keys, row.items, found_.data());
    const uint64_t sectors = device_.sum("sum sectors", row.items, NumberAt{found_.data()});
    row.sectors = static_cast<double>(sectors) / static_cast<double>(row.items);
  }

  static KeysBenchRow finished(KeysBenchRow row) {
    if (row.wrong > 0) row.error = format_count(row.wrong) + " results of searches were wrong";
    return row;
  }

  Device& device_;
  const KeysBenchOptions& options_;
  uint64_t searches_;
  const KeySet<Cell>& set_;
  KeysBenchRow first_;
  device::Buffer<Cell> search_keys_;
  device::Buffer<uint32_t> expected_, found_;
  bool walk_found_ = false;
};

}  // namespace vox::measure
