// The tables `robin` and `robin-random`: García, Lefebvre, Hornus & Lasram, Coherent Parallel Hashing, 2011,
// §3. They are one array with open addressing along a sequence of places (keys.h). Keys that had to go
// further have precedence (Robin Hood; maximum_ages.h). For each slot, the greatest age of the keys that look
// there first is stored (maximum_ages.h), and a search ends at this age.
//
// While the table is built, each place knows the age of its holder:
//
//   the highest 4 bits of all cells are 0    in these bits, as in the paper; ages to 15
//   32-bit cells                             in words of 64 bits, which are given back in the end; ages to 31
//   64-bit cells                             nowhere: it is computed from the key and the place; ages to 31
//
// The cells are the same in all three cases. If a key would grow older than this, the table is built again with other
// constants, and with ages up to 31. If the highest bits are 0 in all cells, they hold the maximum ages in the finished
// table.
#pragma once

#include "libvox/hash/keyed/maximum_ages.h"
#include "libvox/hash/keyed/searched.h"

namespace vox::hash {

template <CellWord Cell, ProbeSequence Sequence>
struct RobinRef {
  const Cell* cells;
  const uint32_t* levels_apart;  // nullptr if the levels lie in the cells
  Cell mask;                     // the bits of a cell that are key and value
  CellFormat<Cell> format;
  AgeLevels levels;
  Sequence sequence;

  VOX_HD Cell cell(uint32_t slot) const { return cells[slot]; }
  VOX_HD void prefetch(Cell key) const { prefetch_line(cells + sequence.place(sequence.start(key), 1)); }

  // Searches for a key. Calls found(slot, cell) and returns its result, or returns `none`. No key ever had to
  // go on from an empty place.
  template <class Probe, class Result, class Found>
  VOX_HD Result search(Cell key, Probe& probe, Result none, const Found& found) const {
    const auto start = sequence.start(key);
    uint32_t most_age = 1;
    for (uint32_t age = 1; age <= most_age; ++age) {
      const uint64_t slot = sequence.place(start, age);
      const Cell cell = cells[slot];
      probe.read(1, cells + slot);
      if (cell == kEmptyCell<Cell>) return none;
      if (format.key(cell & mask) == key) return found(static_cast<uint32_t>(slot), cell);
      if (age == 1) most_age = levels.bound(level(slot, cell, probe));
    }
    return none;
  }
  template <class Probe>
  VOX_HD uint32_t level(uint64_t slot, Cell cell, Probe& probe) const {
    if (levels_apart == nullptr)
      return static_cast<uint32_t>(cell >> (CellFormat<Cell>::kBits - levels.bits()));
    probe.read(1, levels_apart + slot / levels.in_word());
    return levels.level_at(levels_apart, slot);
  }

  template <class Probe>
  VOX_HD uint32_t find(Cell key, Probe& probe) const {
    return search(key, probe, kNoSlot, [](uint32_t slot, Cell) { return slot; });
  }
  template <class Probe>
  VOX_HD uint32_t value(Cell key, Probe& probe) const {
    return search(key, probe, kNoValue, [this](uint32_t, Cell cell) { return format.value(cell); });
  }
  // Returns the value of a stored key, for which no maximum age is needed.
  VOX_HD uint32_t value_of_stored(Cell key) const {
    const auto start = sequence.start(key);
    for (uint32_t age = 1; age <= levels.most_age(); ++age) {
      const Cell cell = cells[sequence.place(start, age)];
      if (format.key(cell & mask) == key) return format.value(cell);
    }
    return kNoValue;
  }
};
static_assert(ReadsValues<RobinRef<uint64_t, CoherentProbes>, uint64_t>);

// The same table for searches that begin at an age other than one, or that have no maximum ages. It has loops of its
// own, so that those over a RobinRef stay fast.
template <CellWord Cell, ProbeSequence Sequence>
struct RobinAroundRef {
  RobinRef<Cell, Sequence> table;
  uint32_t has_levels;  // 0: there are no maximum ages
  uint32_t first_age;   // the age at which searches begin

  VOX_HD Cell cell(uint32_t slot) const { return table.cell(slot); }
  VOX_HD void prefetch(Cell key) const {
    prefetch_line(table.cells + table.sequence.place(table.sequence.start(key), first_age));
  }

  // Searches as RobinRef does, from the first age on, and then at younger and older ages in turn. The maximum age is
  // known when the search comes to age 1.
  template <class Probe, class Result, class Found>
  VOX_HD Result search(Cell key, Probe& probe, Result none, const Found& found) const {
    const auto start = table.sequence.start(key);
    uint32_t most_age = table.levels.most_age();
    const uint32_t older = most_age > first_age ? most_age - first_age : 0;
    const uint32_t steps = 2 * (older > first_age - 1 ? older : first_age - 1);
    for (uint32_t step = 0; step <= steps; ++step) {
      const uint32_t away = (step + 1) / 2;
      if (step % 2 == 0 && away >= first_age) continue;
      const uint32_t age = step % 2 == 0 ? first_age - away : first_age + away;
      if (age > most_age) continue;
      const uint64_t slot = table.sequence.place(start, age);
      const Cell cell = table.cells[slot];
      probe.read(1, table.cells + slot);
      if (cell == kEmptyCell<Cell>) {
        most_age = age - 1;
        continue;
      }
      if (table.format.key(cell & table.mask) == key) return found(static_cast<uint32_t>(slot), cell);
      if (age > 1 || has_levels == 0) continue;
      const uint32_t bound = table.levels.bound(table.level(slot, cell, probe));
      most_age = bound < most_age ? bound : most_age;
    }
    return none;
  }
  template <class Probe>
  VOX_HD uint32_t find(Cell key, Probe& probe) const {
    return search(key, probe, kNoSlot, [](uint32_t slot, Cell) { return slot; });
  }
  template <class Probe>
  VOX_HD uint32_t value(Cell key, Probe& probe) const {
    return search(key, probe, kNoValue, [this](uint32_t, Cell cell) { return table.format.value(cell); });
  }
  VOX_HD uint32_t value_of_stored(Cell key) const {
    NoKeyProbe probe;
    return value(key, probe);
  }
};
static_assert(ReadsValues<RobinAroundRef<uint64_t, CoherentProbes>, uint64_t>);

// Makes a search return the value of a key that must be stored.
struct ValueOfStoredKey {
  template <class Table, CellWord Cell>
  VOX_HD static uint32_t of(const Table& table, Cell key) {
    return key == table.format.apart_key() ? table.value(key) : table.ref.value_of_stored(key);
  }
};

template <CellWord Cell, ProbeSequence Sequence>
struct WriteMaximumAge {
  RobinRef<Cell, Sequence> ref;
  uint8_t* ages;
  VOX_HD void operator()(uint64_t slot) const {
    NoKeyProbe probe;
    const Cell cell = ref.cells[slot];
    ages[slot] = cell == kEmptyCell<Cell>
                     ? uint8_t{0}
                     : static_cast<uint8_t>(ref.levels.bound(ref.level(slot, cell, probe)));
  }
};

// Returns 1 for a cell that needs more than the lowest bits. A cell whose lowest bits are all ones also
// counts, so that no cell with a level above it looks like an empty cell.
template <CellWord Cell>
struct NeedsMoreBits {
  const Cell* cells;
  CellFormat<Cell> format;
  Cell ones;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return cells[i] >= ones && format.key(cells[i]) != format.apart_key() ? 1 : 0;
  }
};

template <class Device, CellWord Cell, ProbeSequence Sequence>
class RobinTable : public SearchedKeyTable<Device, Cell, RobinRef<Cell, Sequence>> {
 public:
  static constexpr KeyTableLoad kLoad = {.usual = 0.8, .most = 1};

  RobinTable(Device& device, const KeyTableOptions& options)
      : SearchedKeyTable<Device, Cell, Ref>(device, options) {}

  void find(const Cell* keys, uint64_t n, uint32_t* slots) const override {
    search<SlotOfKey>("find keys", keys, n, slots);
  }
  void find_values(const Cell* keys, uint64_t n, uint32_t* values) const override {
    search<ValueOfKey>("find values", keys, n, values);
  }
  void find_values_of_stored(const Cell* keys, uint64_t n, uint32_t* values) const override {
    search<ValueOfStoredKey>("find values of stored", keys, n, values);
  }
  void count_sectors(const Cell* keys, uint64_t n, uint32_t* sectors) const override {
    search<SectorsOfKey>("count sectors", keys, n, sectors);
  }
  std::optional<uint64_t> count_warp_sectors(const Cell* keys, uint64_t n) const override {
    if (is_searched_around()) return std::nullopt;
    return Base::count_warp_sectors(keys, n);
  }

  std::vector<uint64_t> probes_of_keys() const override { return ages_; }

  std::vector<uint8_t> maximum_ages() const override {
    if (this->options_.maximum_ages == MaximumAges::None) return {};
    auto on_device = this->device_.template make<uint8_t>(this->slots_);
    this->device_.for_each("write maximum ages", this->slots_,
                           WriteMaximumAge<Cell, Sequence>{this->ref_, on_device.data()});
    std::vector<uint8_t> ages(this->slots_);
    this->device_.download(ages.data(), on_device.data(), ages.size());
    return ages;
  }

 private:
  using Ref = RobinRef<Cell, Sequence>;
  using Base = SearchedKeyTable<Device, Cell, Ref>;
  static constexpr uint32_t kMostAttempts = 8;

  bool is_searched_around() const {
    return this->options_.maximum_ages == MaximumAges::None || this->options_.first_age != FirstAge::One;
  }

  template <class What>
  void search(const char* name, const Cell* keys, uint64_t n, uint32_t* results) const {
    if (!is_searched_around()) return Base::template search<What>(name, keys, n, results);
    using Around = RobinAroundRef<Cell, Sequence>;
    const KeyTableRef<Ref, Cell> plain = this->ref();
    const Around around = {this->ref_, this->options_.maximum_ages == MaximumAges::None ? 0u : 1u,
                           first_age_};
    this->device_.for_each(
        {name, sizeof(Cell) + 36.0}, n,
        SearchKeys<Around, Cell, What>{
            {around, plain.format, plain.slots, plain.holds_apart, plain.apart_value}, keys, results});
  }

  KeyTableBuild build_cells(const Cell* cells, uint64_t n) override {
    using ShortWords = AgedWords<Cell, Cell>;
    const uint32_t most_attempts = this->options_.most_attempts.value_or(kMostAttempts);
    const bool is_free = leave_free(cells, n, this->options_.age_bits);
    const bool levels_fit = is_free && this->options_.maximum_ages != MaximumAges::None;
    const bool ages_fit = is_free && this->options_.age_bits == ShortWords::kAgeBits;
    this->cell_mask_ = levels_fit ? kEmptyCell<Cell> >> this->options_.age_bits : kEmptyCell<Cell>;
    for (uint32_t attempt = 1; attempt <= most_attempts; ++attempt) {
      const uint64_t slots = slots_for(n, this->load_factor_, attempt);
      this->make_cells_unset(slots);
      this->device_.fill(this->cells_.data() + slots, 1, kEmptyCell<Cell>);
      const Sequence sequence(slots, attempt_seed(this->options_, attempt));
      const KeyBuildStatus status = attempt == 1 && ages_fit
                                        ? fill(ShortWords{this->cells_.data()}, sequence, cells, n)
                                        : fill_without_free_bits(sequence, cells, n);
      if (status.conflicts != 0) throw two_values(this->options_);
      if (status.failed == 0)
        return {.keys = n - status.copies, .attempts = attempt, .most_probes = this->ref_.levels.most_age()};
    }
    throw cannot_build(this->options_, n, most_attempts);
  }

  uint64_t bytes_beside_cells() const override { return levels_apart_.size() * sizeof(uint32_t); }

  // Returns true if all cells leave this many of their highest bits free.
  bool leave_free(const Cell* cells, uint64_t n, uint32_t bits) {
    return this->device_.sum({"look for free bits", sizeof(Cell)}, n,
                             NeedsMoreBits<Cell>{cells, this->format_, kEmptyCell<Cell> >> bits}) == 0;
  }

  KeyBuildStatus fill_without_free_bits(const Sequence& sequence, const Cell* cells, uint64_t n) {
    if constexpr (sizeof(Cell) == sizeof(uint64_t)) {
      return fill(PlainCells<Cell, Sequence>{this->cells_.data(), sequence, this->format_}, sequence, cells,
                  n);
    } else {
      auto words = this->device_.template make<uint64_t>(this->slots_);
      return fill(AgedWords<uint64_t, Cell>{words.data()}, sequence, cells, n);
    }
  }

  template <class Places>
  KeyBuildStatus fill(const Places& places, const Sequence& sequence, const Cell* cells, uint64_t n) {
    auto& device = this->device_;
    device.fill(places.words, this->slots_, Places::kNobody);
    auto on_device = device.template make<KeyBuildStatus>(1);
    device.fill(on_device.data(), 1, KeyBuildStatus{});
    device::Buffer<uint32_t> maximum;
    if (this->options_.maximum_ages == MaximumAges::Atomic) {
      maximum = device.template make<uint32_t>(this->slots_);
      device.fill(maximum.data(), this->slots_, 0u);
      insert<true>(places, sequence, cells, n, on_device.data(), maximum.data());
    } else {
      insert<false>(places, sequence, cells, n, on_device.data(), nullptr);
    }
    ages_ = this->count_probes(AgeOfHolder<Places>{places});
    KeyBuildStatus status;
    device.download(&status, on_device.data(), 1);
    if (status.failed != 0 || status.conflicts != 0) return status;
    keep_levels(places, sequence, maximum);
    if (status.apart != 0) this->keep_apart(static_cast<uint32_t>(status.apart - 1));
    return status;
  }

  template <bool kMarks, class Places>
  void insert(const Places& places, const Sequence& sequence, const Cell* cells, uint64_t n,
              KeyBuildStatus* status, uint32_t* maximum) {
    this->device_.for_each(
        {"insert into robin", sizeof(Cell) + 64.0}, n,
        InsertRobin<Places, Cell, Sequence, kMarks>{places, sequence, this->format_, cells, status, maximum});
  }

  uint32_t first_age() const {
    if (this->options_.first_age == FirstAge::One) return 1;
    double keys = 0, sum = 0;
    for (size_t age = 1; age < ages_.size(); ++age) {
      keys += static_cast<double>(ages_[age]);
      sum += static_cast<double>(age) * static_cast<double>(ages_[age]);
    }
    return keys == 0 ? 1 : static_cast<uint32_t>(sum / keys + 0.5);
  }

  // Copies the places to cells, and stores the levels, if there are any, in them or apart from them.
  template <class Places>
  void keep_levels(const Places& places, const Sequence& sequence, const device::Buffer<uint32_t>& maximum) {
    auto& device = this->device_;
    const uint64_t slots = this->slots_;
    const AgeLevels levels(this->options_.age_bits, static_cast<uint32_t>(ages_.size() - 1));
    levels_apart_.reset();
    this->ref_ = {this->cells_.data(), nullptr, this->cell_mask_, this->format_, levels, sequence};
    first_age_ = first_age();
    if (this->options_.maximum_ages == MaximumAges::None) return take_holders(places);
    auto mark_words = device.template make<uint32_t>(LevelMarks::words_for(slots));
    device.fill(mark_words.data(), mark_words.size(), 0u);
    const LevelMarks marks{mark_words.data()};
    if (maximum.size() > 0)
      device.for_each({"mark kept ages", 36}, slots, MarkKeptLevels{maximum.data(), levels, marks});
    else
      device.for_each({"mark maximum ages", sizeof(Cell) + 32.0}, slots,
                      MarkLevels<Places, Cell, Sequence>{places, sequence, this->format_, levels, marks});
    if (this->cell_mask_ != kEmptyCell<Cell>) {
      device.for_each({"pack maximum ages", 2 * sizeof(Cell) + 2.0}, slots,
                      TakeHoldersWithLevels<Places, Cell>{places, this->cells_.data(), marks,
                                                          CellFormat<Cell>::kBits - levels.bits()});
    } else {
      take_holders(places);
      levels_apart_ = device.template make<uint32_t>((slots + levels.in_word() - 1) / levels.in_word());
      device.for_each({"gather maximum ages", 20}, levels_apart_.size(),
                      GatherLevels{marks, levels, slots, levels_apart_.data()});
    }
    this->ref_.levels_apart = levels_apart_.data();
  }

  template <class Places>
  void take_holders(const Places& places) {
    this->device_.for_each({"take holders", 2.0 * sizeof(Cell)}, this->slots_,
                           TakeHolders<Places, Cell>{places, this->cells_.data()});
  }

  device::Buffer<uint32_t> levels_apart_;
  std::vector<uint64_t> ages_;  // the number of keys of each age
  uint32_t first_age_ = 1;
};

template <class Device, CellWord Cell>
class CoherentRobinTable final : public RobinTable<Device, Cell, CoherentProbes> {
 public:
  static constexpr const char* kName = "robin";
  using RobinTable<Device, Cell, CoherentProbes>::RobinTable;
};

template <class Device, CellWord Cell>
class RandomRobinTable final : public RobinTable<Device, Cell, RandomProbes> {
 public:
  static constexpr const char* kName = "robin-random";
  using RobinTable<Device, Cell, RandomProbes>::RobinTable;
};

}  // namespace vox::hash
