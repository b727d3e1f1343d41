// Measures each table of voxel keys with one set of keys.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/key_sets.h"
#include "libvox/measure/keys_bench.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

// Writes keys to search for, of which `percent` are stored, and their expected values.
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

// Exchanges held cells, from a place on, for others.
template <hash::CellWord Cell>
struct ExchangeCells {
  hash::CellFormat<Cell> format;
  Cell* held;
  uint64_t held_count, first;
  Cell* others;
  Cell *erased, *added;  // the keys of the first, and a copy of the second
  VOX_HD void operator()(uint64_t i) const {
    Cell& cell = held[(first + i) % held_count];
    const Cell before = cell;
    erased[i] = format.key(before);
    added[i] = cell = others[i];
    others[i] = before;
  }
};

struct IsWrongValue {
  const uint32_t *expected, *found;
  VOX_HD uint32_t operator()(uint64_t i) const { return expected[i] != found[i] ? 1 : 0; }
};
// Copies each `every`-th warp of a search.
template <hash::CellWord Cell>
struct TakeWarps {
  static constexpr uint64_t kLanes = 32;
  const Cell* from;
  uint64_t every;
  Cell* to;
  VOX_HD void operator()(uint64_t i) const { to[i] = from[i / kLanes * every * kLanes + i % kLanes]; }
};

struct NumberAt {
  const uint32_t* numbers;
  VOX_HD uint32_t operator()(uint64_t i) const { return numbers[i]; }
};

template <class Device, hash::CellWord Cell>
class KeySetBench {
 public:
  // `first` holds the values that all rows share.
  KeySetBench(Device& device, const KeysBenchOptions& options, uint64_t searches, const KeySet<Cell>& set,
              KeysBenchRow first)
      : device_(device),
        options_(options),
        searches_(searches),
        set_(set),
        stored_(set.cells.data()),
        first_(std::move(first)) {}

  // Returns the rows of a table, or one row with the reason if it cannot be measured. If only ages are
  // asked for, there are no rows.
  std::vector<KeysBenchRow> measure(const std::string& name, double load_factor) {
    KeysBenchRow first = first_;
    first.table = name;
    first.load_factor = load_factor;
    std::vector<KeysBenchRow> rows;
    point_ = first.point();
    ages_.clear();
    maximum_ages_.clear();
    slots_.clear();
    try {
      const auto table = hash::make_key_table<Device, Cell>(device_, {.table = name,
                                                                      .load_factor = load_factor,
                                                                      .value_bits = options_.value_bits,
                                                                      .age_bits = options_.age_bits,
                                                                      .maximum_ages = options_.maximum_ages,
                                                                      .first_age = options_.first_age});
      rows = measure_builds(*table, first);
      for (const KeysBenchRow& row : measure_searches(*table, first)) rows.push_back(row);
      for (const KeysBenchRow& row : measure_changes(*table, first)) rows.push_back(row);
      if (asks_for(KeyOp::Ages)) keep_ages(*table, first);
      if (options_.draw_tables) keep_slots(*table);
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      first.op = kKeyOpNames[static_cast<size_t>(options_.ops.front())];
      first.error = error.what();
      rows = {first};
    }
    return rows;
  }

  // Returns the point of the table that was measured last.
  const KeyTablePoint& point() const { return point_; }
  // The number of keys of each age in the last table, and the maximum ages of its slots. Both are empty if
  // the table has none, or if they were not asked for.
  const std::vector<KeyAgesRow>& ages() const { return ages_; }
  const std::vector<uint8_t>& maximum_ages() const { return maximum_ages_; }

  // The cells of the last table's slots, if tables are drawn.
  const std::vector<std::optional<Cell>>& slots() const { return slots_; }

  // Returns the values that the last table found for the walk's keys. Empty if it was not searched for them.
  std::vector<uint32_t> found_values() {
    std::vector<uint32_t> values(walk_found_ ? set_.walk.size() : 0);
    device_.download(values.data(), found_.data(), values.size());
    return values;
  }

 private:
  using Table = hash::KeyTable<Device, Cell>;

  bool asks_for(KeyOp op) const { return is_asked_for(options_, op); }

  KeysBenchRow row_of(KeysBenchRow row, KeyOp op, uint64_t items) const {
    row.op = kKeyOpNames[static_cast<size_t>(op)];
    row.items = items;
    row.repetitions = options_.repetitions;
    return row;
  }

  // Builds the table at least once, and measures the builds that are asked for. All rows of the table get the
  // build's statistics.
  std::vector<KeysBenchRow> measure_builds(Table& table, KeysBenchRow& first) {
    std::vector<KeysBenchRow> rows;
    if (asks_for(KeyOp::BuildOrdered))
      rows.push_back(timed_build(table, first, KeyOp::BuildOrdered, set_.ordered_cells));
    if (asks_for(KeyOp::Build)) rows.push_back(timed_build(table, first, KeyOp::Build, set_.cells));
    if (asks_for(KeyOp::BuildAndFind)) rows.push_back(build_and_find(table, first));
    if (rows.empty()) build(table, first, set_.cells);
    return rows;
  }

  KeysBenchRow timed_build(Table& table, KeysBenchRow& first, KeyOp op, const device::Buffer<Cell>& cells) {
    const Timing time = repeated(
        options_.repetitions, [&](uint32_t) { return device_.seconds([&] { build(table, first, cells); }); });
    KeysBenchRow row = row_of(first, op, set_.keys);
    row.time = time;
    if (!device_.profiler().enabled()) return row;
    const std::vector<device::KernelTime> before = device_.profiler().rows();
    build(table, first, cells);
    row.kernels = device::kernels_since(before, device_.profiler().rows());
    return row;
  }

  // A repetition's time is that of the build and of the searches, without preparation and checks.
  KeysBenchRow build_and_find(Table& table, KeysBenchRow& first) {
    KeysBenchRow row = row_of(first, KeyOp::BuildAndFind, set_.keys);
    make_room(row.items);
    make_searches(row.items);
    row.time = repeated(options_.repetitions, [&](uint32_t repetition) {
      const double built = device_.seconds([&] { build(table, first, set_.cells); });
      write_searches(table, row.items, 100, repetition);
      return built + search(row, search_keys_.data(), expected_.data(),
                            [&](const Cell* keys, uint64_t n, uint32_t* values) {
                              table.find_values(keys, n, values);
                            });
    });
    row.note_wrong();
    return row;
  }

  void build(Table& table, KeysBenchRow& first, const device::Buffer<Cell>& cells) {
    const hash::KeyTableBuild built = table.build(cells.data(), set_.keys);
    first.note_build(built, table.bytes());
  }

  std::vector<KeysBenchRow> measure_searches(const Table& table, const KeysBenchRow& first) {
    std::vector<KeysBenchRow> rows;
    const auto find = [&](const Cell* keys, uint64_t n, uint32_t* values) {
      table.find_values(keys, n, values);
    };
    const auto find_stored = [&](const Cell* keys, uint64_t n, uint32_t* values) {
      table.find_values_of_stored(keys, n, values);
    };
    if (asks_for(KeyOp::FindStored))
      rows.push_back(random_search(table, row_of(first, KeyOp::FindStored, searches_), 100, find_stored));
    if (asks_for(KeyOp::Find)) search_at_rates(table, first, KeyOp::Find, rows);
    for (const auto& [op, walk] : {std::pair(KeyOp::FindView, &set_.view), {KeyOp::FindAll, &set_.walk}})
      if (asks_for(op) && walk->size() > 0) {
        KeysBenchRow row = row_of(first, op, walk->size());
        if (op == KeyOp::FindView) row.frames = set_.view_frames;
        rows.push_back(search_all(table, std::move(row), find, *walk));
      }
    walk_found_ = asks_for(KeyOp::FindAll) && set_.walk.size() > 0;
    return rows;
  }

  // Searches for random keys, of which the shares of the options are stored.
  void search_at_rates(const Table& table, const KeysBenchRow& first, KeyOp op,
                       std::vector<KeysBenchRow>& rows) {
    for (const uint32_t hit_rate : options_.hit_rates)
      if (hit_rate == 100 || set_.absent.size() > 0) {
        KeysBenchRow row = row_of(first, op, searches_);
        row.hit_rate = hit_rate;
        rows.push_back(random_search(
            table, std::move(row), hit_rate,
            [&](const Cell* keys, uint64_t n, uint32_t* values) { table.find_values(keys, n, values); }));
      }
  }

  // Exchanges half of the keys, again and again. Every time another half leaves, and those that have left before come
  // back. The keys lie in random order, so it does not matter to the table that the places of a half follow each other.
  std::vector<KeysBenchRow> measure_changes(Table& table, KeysBenchRow first) {
    constexpr uint32_t kChanges = 10;  // of which the first is not counted
    std::vector<KeysBenchRow> rows;
    const uint64_t half = set_.others.size();
    if (half == 0) return rows;
    const auto held = keys::copied(device_, set_.cells), others = keys::copied(device_, set_.others);
    const auto erased = device_.template make<Cell>(half), added = device_.template make<Cell>(half);
    KeysBenchRow row = row_of(first, KeyOp::Change, 2 * half);
    row.repetitions = kChanges - 1;
    try {
      row.time = repeated(kChanges - 1, [&](uint32_t change) {
        device_.for_each(
            "exchange cells", half,
            ExchangeCells<Cell>{table.format(), held.data(), set_.keys, mix64(change) % set_.keys,
                                others.data(), erased.data(), added.data()});
        std::optional<hash::KeyTableBuild> changed;
        const double elapsed = device_.seconds([&] {
          changed = table.change({erased.data(), half, added.data(), half});
        });
        if (!changed) throw Error("the keys of this table do not change");
        row.note_build(*changed, table.bytes());
        return elapsed;
      });
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      row.error = error.what();
    }
    if (asks_for(KeyOp::Change) || !row.error.empty()) rows.push_back(row);
    if (!asks_for(KeyOp::FindChanged) || !row.error.empty()) return rows;
    stored_ = held.data();
    search_at_rates(table, row, KeyOp::FindChanged, rows);
    stored_ = set_.cells.data();
    return rows;
  }

  template <class Find>
  KeysBenchRow search_all(const Table& table, KeysBenchRow row, const Find& find, const KeyWalk<Cell>& walk) {
    make_room(row.items);
    set_sectors(table, row, walk.keys.data());
    set_warp_sectors(table, row, walk);
    row.time = repeated(options_.repetitions,
                        [&](uint32_t) { return search(row, walk.keys.data(), walk.values.data(), find); });
    row.note_wrong();
    return row;
  }

  // Every repetition searches for other keys, so that no cache holds the data from the repetition before.
  template <class Find>
  KeysBenchRow random_search(const Table& table, KeysBenchRow row, uint32_t hit_rate, const Find& find) {
    make_room(row.items);
    make_searches(row.items);
    row.time = repeated(options_.repetitions, [&](uint32_t repetition) {
      write_searches(table, row.items, hit_rate, repetition);
      return search(row, search_keys_.data(), expected_.data(), find);
    });
    set_sectors(table, row, search_keys_.data());
    row.note_wrong();
    return row;
  }

  void make_searches(uint64_t n) {
    if (search_keys_.size() >= n) return;
    search_keys_ = device_.template make<Cell>(n);
    expected_ = device_.template make<uint32_t>(n);
  }
  void write_searches(const Table& table, uint64_t n, uint32_t hit_rate, uint32_t repetition) {
    device_.for_each(
        "write searches", n,
        WriteSearches<Cell>{table.format(), stored_, set_.absent.data(), set_.keys, set_.absent.size(),
                            hit_rate, repetition, search_keys_.data(), expected_.data()});
  }

  void make_room(uint64_t n) {
    if (found_.size() >= n) return;
    found_.reset();
    found_ = device_.template make<uint32_t>(n);
  }

  // Returns how long a search takes, and compares its results with the expected ones.
  template <class Find>
  double search(KeysBenchRow& row, const Cell* keys, const uint32_t* expected, const Find& find) {
    constexpr uint32_t kUntouched = UINT32_MAX - 1;  // no search returns this value
    device_.fill(found_.data(), row.items, kUntouched);
    const double elapsed = device_.seconds([&] { find(keys, row.items, found_.data()); });
    row.wrong += device_.sum("check values", row.items, IsWrongValue{expected, found_.data()});
    return elapsed;
  }

  void set_sectors(const Table& table, KeysBenchRow& row, const Cell* keys) {
    table.count_sectors(keys, row.items, found_.data());
    const uint64_t sectors = device_.sum("sum sectors", row.items, NumberAt{found_.data()});
    // Every search reads something, so 0 means that the table does not count sectors.
    if (sectors > 0) row.sectors = static_cast<double>(sectors) / static_cast<double>(row.items);
  }

  // If there are many warps, only some of them are counted, because each warp's searches are repeated for
  // counting.
  void set_warp_sectors(const Table& table, KeysBenchRow& row, const KeyWalk<Cell>& walk) {
    constexpr uint64_t kLanes = TakeWarps<Cell>::kLanes, kMostSearches = 1 << 20;
    const uint64_t every = (walk.size() + kMostSearches - 1) / kMostSearches;
    const uint64_t n = every <= 1 ? walk.size() : walk.size() / (every * kLanes) * kLanes;
    const auto sample = device_.template make<Cell>(n);
    device_.for_each("take warps", n, TakeWarps<Cell>{walk.keys.data(), every, sample.data()});
    if (const auto sectors = table.count_warp_sectors(sample.data(), n))
      row.warp_sectors = static_cast<double>(*sectors) / static_cast<double>(n);
  }

  void keep_ages(const Table& table, const KeysBenchRow& first) {
    const std::vector<uint64_t> counts = table.probes_of_keys();
    for (size_t age = 1; age < counts.size(); ++age)
      ages_.push_back({first.point(), static_cast<uint32_t>(age), counts[age]});
    if (options_.draw_ages) maximum_ages_ = table.maximum_ages();
  }

  void keep_slots(const Table& table) {
    std::vector<Cell> cells(table.slots());
    device_.download(cells.data(), table.cells(), cells.size());
    hash::HoldsKey<Cell> holds = table.holds_key();
    holds.cells = cells.data();
    slots_.resize(cells.size());
    for (uint64_t slot = 0; slot < cells.size(); ++slot)
      if (holds(slot)) slots_[slot] = holds.cell(slot);
  }

  Device& device_;
  const KeysBenchOptions& options_;
  uint64_t searches_;
  const KeySet<Cell>& set_;
  const Cell* stored_;  // the cells that the table holds
  KeysBenchRow first_;
  device::Buffer<Cell> search_keys_;
  device::Buffer<uint32_t> expected_, found_;
  bool walk_found_ = false;
  KeyTablePoint point_;
  std::vector<KeyAgesRow> ages_;
  std::vector<uint8_t> maximum_ages_;
  std::vector<std::optional<Cell>> slots_;
};

}  // namespace vox::measure
