// Searches in tables of voxel keys. The code is shared by all variants. A variant provides its *ref*, a
// struct that is captured by value, with
//
//   template <class Probe> VOX_HD uint32_t find(Cell key, Probe& probe) const;   the slot, or kNoSlot; never
//                                          asked for the key that is kept apart. Tells the probe of all that
//                                          it reads: probe.read(how many sectors, the address of the first)
//   VOX_HD Cell cell(uint32_t slot) const;
//   template <class Probe> VOX_HD uint32_t value(Cell key, Probe& probe) const;   the value, or kNoValue. Optional:
//                                          without it, the value is read at the slot
//   VOX_HD void prefetch(Cell key) const;  asks for what find() reads first
//   kBlocksAtOnce                        optional, for the loops that search (device/cuda_kernels.cuh)
#pragma once

#include <concepts>

#include "libvox/base/bits.h"
#include "libvox/device/device.h"
#include "libvox/hash/keyed/key_table.h"

namespace vox::hash {

// Probes that do not count, or do count, what a search reads.
struct NoKeyProbe {
  static constexpr bool kCounts = false;
  VOX_HD void read(uint32_t, const void* = nullptr) {}
};
struct CountedKeyProbe {
  static constexpr bool kCounts = true;
  uint32_t sectors = 0;
  uint32_t reads = 0;
  VOX_HD void read(uint32_t count, const void* = nullptr) {
    sectors += count;
    ++reads;
  }
};
// Records what is read in one step of a search; steps are counted from 0. If the address of a read is not
// given, its sectors are taken to differ from those of all other searches.
struct StepKeyProbe {
  static constexpr bool kCounts = true;
  uint32_t step;
  uint32_t reads = 0;
  uint32_t sectors = 0;  // read in the step; 0 if the search has ended before it
  uint64_t first = 0;    // number of the first sector in memory; 0 if not given
  VOX_HD void read(uint32_t count, const void* address = nullptr) {
    if (reads++ != step) return;
    sectors = count;
    first = reinterpret_cast<uintptr_t>(address) / 32;
  }
};

// A ref that has a value() of its own. Beside each such ref, a static_assert says that it has one; another
// static_assert stands beside each ref with kBlocksAtOnce.
template <class Ref, class Cell, class... Group>
concept ReadsValues = requires(const Ref& ref, Cell key, NoKeyProbe& probe, Group... group) {
  { ref.value(group..., key, probe) } -> std::same_as<uint32_t>;
};

// A table for kernel bodies that search it. A thread searches by itself or, if the variant needs it, a group
// searches together, which is then the last argument.
template <class Ref, CellWord Cell>
struct KeyTableRef {
  Ref ref;
  CellFormat<Cell> format;
  uint32_t slots;
  uint32_t holds_apart, apart_value;

  template <class Probe, class... Group>
  VOX_HD uint32_t find(Cell key, Probe& probe, Group... group) const {
    if (key < format.apart_key()) return ref.find(group..., key, probe);
    return key == format.apart_key() && holds_apart != 0 ? slots : kNoSlot;
  }
  VOX_HD uint32_t find(Cell key) const {
    NoKeyProbe probe;
    return find(key, probe);
  }
  template <class... Group>
  VOX_HD uint32_t value(Cell key, Group... group) const {
    if (key >= format.apart_key()) [[unlikely]]
      return key == format.apart_key() && holds_apart != 0 ? apart_value : kNoValue;
    NoKeyProbe probe;
    if constexpr (ReadsValues<Ref, Cell, Group...>) {
      return ref.value(group..., key, probe);
    } else {
      const uint32_t slot = ref.find(group..., key, probe);
      return slot == kNoSlot ? kNoValue : format.value(ref.cell(slot));
    }
  }
  VOX_HD void prefetch(Cell key) const { ref.prefetch(key); }
};

// The results that a search for a key may return.
struct SlotOfKey {
  template <class Table, CellWord Cell, class... Group>
  VOX_HD static uint32_t of(const Table& table, Cell key, Group... group) {
    NoKeyProbe probe;
    return table.find(key, probe, group...);
  }
};
struct ValueOfKey {
  template <class Table, CellWord Cell, class... Group>
  VOX_HD static uint32_t of(const Table& table, Cell key, Group... group) {
    return table.value(key, group...);
  }
};
struct SectorsOfKey {
  template <class Table, CellWord Cell, class... Group>
  VOX_HD static uint32_t of(const Table& table, Cell key, Group... group) {
    CountedKeyProbe probe;
    table.find(key, probe, group...);
    return probe.sectors;
  }
};

// Counts the sectors that 32 successive searches move if they advance step by step, like the lanes of a warp.
// Sectors that several of them read in the same step count once. A step reads whole buckets, which are
// identical or have nothing in common.
template <class Ref, CellWord Cell>
struct SectorsOfWarp {
  static constexpr uint32_t kLanes = 32;

  KeyTableRef<Ref, Cell> table;
  const Cell* keys;
  uint64_t n;
  uint32_t* sectors;  // one count for each warp

  VOX_HD void operator()(uint64_t warp) const {
    uint32_t count = 0;
    for (uint32_t step = 0;; ++step) {
      uint64_t read[kLanes];
      uint32_t different = 0;
      bool ended = true;
      for (uint64_t i = warp * kLanes; i < n && i < (warp + 1) * kLanes; ++i) {
        StepKeyProbe probe = {step};
        table.find(keys[i], probe);
        if (probe.sectors == 0) continue;
        ended = false;
        if (probe.first != 0 && is_among(probe.first, read, different)) continue;
        read[different++] = probe.first;
        count += probe.sectors;
      }
      if (ended) break;
    }
    sectors[warp] = count;
  }

 private:
  VOX_HD static bool is_among(uint64_t sector, const uint64_t* read, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
      if (read[i] == sector) return true;
    return false;
  }
};

struct SectorsAt {
  const uint32_t* sectors;
  VOX_HD uint32_t operator()(uint64_t i) const { return sectors[i]; }
};

template <class Ref, CellWord Cell, class What>
struct SearchKeys {
  static constexpr int kBlocksAtOnce = [] {
    if constexpr (device::ResidentBody<Ref>)
      return Ref::kBlocksAtOnce;
    else
      return 1;
  }();
  KeyTableRef<Ref, Cell> table;
  const Cell* keys;
  uint32_t* results;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) table.prefetch(keys[i]);
  }
  VOX_HD void operator()(uint64_t i) const { results[i] = What::of(table, keys[i]); }
};

// Returns how often the search for the key in a slot reads, or 0 if the slot is empty.
template <class Ref, CellWord Cell>
struct ReadsOfSlot {
  Ref ref;
  const Cell* cells;
  Cell mask;
  CellFormat<Cell> format;
  uint32_t most;
  VOX_HD uint32_t operator()(uint64_t slot) const {
    if (cells[slot] == kEmptyCell<Cell>) return 0;
    CountedKeyProbe probe;
    ref.find(format.key(cells[slot] & mask), probe);
    return probe.reads < most ? probe.reads : most;
  }
};

// The base class of variants whose searches use a ref.
template <class Device, CellWord Cell, class Ref>
class SearchedKeyTable : public KeyTable<Device, Cell> {
  using Search = SearchKeys<Ref, Cell, SlotOfKey>;
  static_assert(device::PrefetchingBody<Search> && device::ResidentBody<Search>);

 public:
  void find(const Cell* keys, uint64_t n, uint32_t* slots) const override {
    search<SlotOfKey>("find keys", keys, n, slots);
  }
  void find_values(const Cell* keys, uint64_t n, uint32_t* values) const override {
    search<ValueOfKey>("find values", keys, n, values);
  }
  void count_sectors(const Cell* keys, uint64_t n, uint32_t* sectors) const override {
    search<SectorsOfKey>("count sectors", keys, n, sectors);
  }
  std::optional<uint64_t> count_warp_sectors(const Cell* keys, uint64_t n) const override {
    using Warp = SectorsOfWarp<Ref, Cell>;
    const uint64_t warps = (n + Warp::kLanes - 1) / Warp::kLanes;
    auto sectors = this->device_.template make<uint32_t>(warps);
    this->device_.for_each("count sectors of warps", warps, Warp{ref(), keys, n, sectors.data()});
    return this->device_.sum("sum sectors of warps", warps, SectorsAt{sectors.data()});
  }
  // One read counts as one probe, unless the variant overrides this.
  std::vector<uint64_t> probes_of_keys() const override {
    return count_probes(ReadsOfSlot<Ref, Cell>{ref_, this->cells_.data(), this->cell_mask_, this->format_,
                                               this->kMostCountedProbes});
  }

  // The view for kernel bodies that search by themselves.
  KeyTableRef<Ref, Cell> ref() const {
    return {ref_, this->format_, static_cast<uint32_t>(this->slots_), this->holds_apart_ ? 1u : 0u,
            this->apart_value_};
  }

 protected:
  using KeyTable<Device, Cell>::KeyTable;

  template <class What>
  void search(const char* name, const Cell* keys, uint64_t n, uint32_t* results) const {
    this->device_.for_each({name, sizeof(Cell) + 36.0}, n, SearchKeys<Ref, Cell, What>{ref(), keys, results});
  }

  // Counts the slots by probes_of_slot(slot), which is at most kMostCountedProbes, and 0 for an empty slot.
  template <class Probes>
  std::vector<uint64_t> count_probes(const Probes& probes_of_slot) const {
    std::vector<uint64_t> counts(this->kMostCountedProbes + 1);
    this->device_.histogram({"count probes", sizeof(Cell)}, this->slots_, probes_of_slot, counts.data(),
                            counts.size());
    counts[0] = 0;
    while (counts.size() > 1 && counts.back() == 0) counts.pop_back();
    return counts;
  }

  Ref ref_ = {};  // set by each build
};

}  // namespace vox::hash
