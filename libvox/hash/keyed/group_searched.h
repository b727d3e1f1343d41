// Searches and insertions by groups of 32 lanes, one group for each key. The code is shared by all variants
// whose buckets are as long as a group is wide. A variant provides its *ref*, a struct that is captured by
// value, with
//
//   template <class Group, class Probe> VOX_HD uint32_t find(Group, Cell key, Probe&) const;
//                                          the slot, or kNoSlot. Tells the probe of all that it reads
//   template <class Group, class Probe> VOX_HD void insert(Group, Cell cell, KeyBuildStatus*, Probe&) const;
//                                          tells the probe of all that it reads, and of each atomic operation
//   kFewestProbes                          how many buckets or slabs a search may look at even in an empty table
//   VOX_HD Cell cell(uint32_t slot) const;
//   VOX_HD void prefetch(Cell key) const;  asks for what both read first
//
// Neither find() nor insert() is ever called for the key that is kept apart.
#pragma once

#include <algorithm>

#include "libvox/device/runs.h"
#include "libvox/hash/keyed/attempts.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/hash/keyed/searched.h"

namespace vox::hash {

template <class Ref, CellWord Cell, class What>
struct SearchByGroup {
  struct Prepared {
    uint64_t i, key;
  };
  KeyTableRef<Ref, Cell> table;
  const Cell* keys;
  uint32_t* results;

  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) table.ref.prefetch(keys[i]);
  }
  VOX_HD Prepared prepare(uint64_t i) const { return {i, keys[i]}; }

  template <class Group>
  VOX_HD void operator()(Group group, const Prepared& prepared) const {
    const uint32_t result = What::of(table, static_cast<Cell>(prepared.key), group);
    group.once([&] { results[prepared.i] = result; });
  }
};

template <class Ref, CellWord Cell, class Probe>
struct InsertByGroup {
  struct Prepared {
    uint64_t cell;
  };
  Ref table;
  CellFormat<Cell> format;
  const Cell* cells;
  KeyBuildStatus* status;

  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) table.prefetch(format.key(cells[i]));
  }
  VOX_HD Prepared prepare(uint64_t i) const { return {cells[i]}; }

  template <class Group>
  VOX_HD void operator()(Group group, const Prepared& prepared) const {
    const auto cell = static_cast<Cell>(prepared.cell);
    if (format.key(cell) == format.apart_key())
      return group.once([&] { keep_apart(status, format.value(cell)); });
    Probe probe;
    table.insert(group, cell, status, probe);
    if constexpr (Probe::kCounts)
      group.once([&] { device::atomic_add(&status->sectors, uint64_t{probe.sectors}); });
  }
};

// A variant that searches and inserts by means of a ref. The variant says how to make room for keys. This
// class decides how often that is tried, handles copies and conflicts, and makes sure that no key is lost.
template <class Device, CellWord Cell, class Ref>
class GroupSearchedKeyTable : public GrowingKeyTable<Device, Cell> {
  using Search = SearchByGroup<Ref, Cell, SlotOfKey>;
  using Insertion = InsertByGroup<Ref, Cell, NoKeyProbe>;
  static_assert(device::PrefetchingBody<Search> && device::PreparingBody<Search>);
  static_assert(device::PrefetchingBody<Insertion> && device::PreparingBody<Insertion>);

 public:
  static constexpr uint32_t kMostAttempts = 8;

  void find(const Cell* keys, uint64_t n, uint32_t* slots) const override {
    search<SlotOfKey>("find keys", keys, n, slots);
  }
  void find_values(const Cell* keys, uint64_t n, uint32_t* values) const override {
    search<ValueOfKey>("find values", keys, n, values);
  }
  void count_sectors(const Cell* keys, uint64_t n, uint32_t* sectors) const override {
    search<SectorsOfKey>("count sectors", keys, n, sectors);
  }

 protected:
  GroupSearchedKeyTable(Device& device, const KeyTableOptions& options)
      : GrowingKeyTable<Device, Cell>(device, options) {}

  // Sets ref_ to an empty table with room for this many keys.
  virtual void make_empty(uint64_t keys, uint64_t seed) = 0;
  // Makes room for `keys` keys, including those that are stored. Returns false if the table must be built
  // again for that.
  virtual bool make_room(uint64_t keys) = 0;

  uint64_t keys() const { return keys_; }

  Ref ref_ = {};

 private:
  KeyTableBuild build_cells(const Cell* cells, uint64_t n) override { return build_by<NoKeyProbe>(cells, n); }
  KeyTableBuild insert_cells(const Cell* cells, uint64_t n) override {
    return insert_by<NoKeyProbe>(cells, n);
  }
  KeyTableBuild insert_cells_counted(const Cell* cells, uint64_t n) override {
    return insert_by<CountedKeyProbe>(cells, n);
  }

  template <class Probe>
  KeyTableBuild build_by(const Cell* cells, uint64_t n) {
    const uint32_t most_attempts = this->options_.most_attempts.value_or(kMostAttempts);
    KeyTableBuild result;
    start_empty(std::max(n, this->expected_keys_), result.attempts);
    while (true) {
      const KeyBuildStatus status = insert_all<Probe>(cells, n);
      keys_ = n - status.copies;
      result.sectors += status.sectors;
      result.keys = keys_;
      result.most_probes = most_probes_ = std::max(Ref::kFewestProbes, status.most_probes);
      if (status.failed == 0) return result;
      if (result.attempts == most_attempts) throw cannot_build(this->options_, n, result.attempts);
      start_empty(planned_, ++result.attempts);
    }
  }
  // Makes no room for the expected keys, because they may be the reason why the build failed.
  void clear() override { start_empty(0, 1); }

  void start_empty(uint64_t planned, uint32_t attempt) {
    planned_ = planned;
    keys_ = apart_ = 0;
    most_probes_ = Ref::kFewestProbes;
    make_empty(planned, attempt_seed(this->options_, attempt));
  }

  template <class Probe>
  KeyTableBuild insert_by(const Cell* cells, uint64_t n) {
    // A table with far more keys than it was made for would be slow.
    if (keys_ + n > 2 * planned_ || !make_room(keys_ + n)) return build_with<Probe>(cells, n);
    const KeyBuildStatus status = insert_all<Probe>(cells, n);
    if (status.failed != 0) return build_with<Probe>(cells, n);
    keys_ += n - status.copies;
    most_probes_ = std::max(most_probes_, status.most_probes);
    return {.keys = keys_, .most_probes = most_probes_, .sectors = status.sectors};
  }

  template <class What>
  void search(const char* name, const Cell* keys, uint64_t n, uint32_t* results) const {
    const KeyTableRef<Ref, Cell> table = {ref_, this->format_, static_cast<uint32_t>(this->slots_),
                                          this->holds_apart_ ? 1u : 0u, this->apart_value_};
    this->device_.for_each_group({name, sizeof(Cell) + 132.0}, n,
                                 SearchByGroup<Ref, Cell, What>{table, keys, results});
  }

  template <class Probe>
  KeyBuildStatus insert_all(const Cell* cells, uint64_t n) {
    auto& device = this->device_;
    auto on_device = device.template make<KeyBuildStatus>(1);
    KeyBuildStatus status = {};
    status.apart = apart_;
    device.fill(on_device.data(), 1, status);
    device.for_each_group({"insert keys", sizeof(Cell) + 164.0}, n,
                          InsertByGroup<Ref, Cell, Probe>{ref_, this->format_, cells, on_device.data()});
    device.download(&status, on_device.data(), 1);
    if (status.conflicts != 0) throw two_values(this->options_);
    apart_ = status.apart;
    if (apart_ != 0) this->keep_apart(static_cast<uint32_t>(apart_ - 1));
    return status;
  }

  // Builds a table of these cells and of the stored ones. Both may have cells in common.
  template <class Probe>
  KeyTableBuild build_with(const Cell* cells, uint64_t n) {
    const auto all = stored_and_more(this->device_, *this, cells, n);
    return build_by<Probe>(all.data(), all.size());
  }

  uint64_t planned_ = 0;  // the number of keys that the table was made for
  uint64_t keys_ = 0;
  uint64_t apart_ = 0;  // same meaning as in KeyBuildStatus
  uint32_t most_probes_ = 0;
};

}  // namespace vox::hash
