// The table `slabset`: the key-only list of slabs of SlabHash (Ashkiani et al. 2018), as Molenaar & Eisemann
// 2024, §4.2, describe it. They compare with it in Table 2 for items of one word.
//
//   slab       32 cells, a lane of a group each: 31 for keys, taken in their order, then the link
//   link       empty; taken, while a group gets a slab; or the number of the next slab of the bucket
//   bucket b   a list of slabs, the first of which is slab b
//
// Cells of 64 bits also have slabs of 32 cells, which are 256 bytes, and not slabs of 16 cells in 128 bytes. A search
// waits for one slab after the other. A list of half as many slabs takes half as long and has half as many links, and
// no lane is idle.
//
// A key goes into the first empty cell of its bucket's list, by an atomic exchange that fails if another key
// has taken the cell. Nothing is ever removed, so all cells before that one have been seen and stay as they
// are. A key that is inserted twice at the same time finds itself, and is never stored in two places.
//
// Slabs come from one array. A bucket of c keys has a slab and at most c / 31 more. As many slabs as buckets,
// and one for every 31 keys, are therefore always enough: no build fails, and no slab is wasted.
#pragma once

#include <algorithm>
#include <cmath>

#include "libvox/base/bits.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/keyed/group_searched.h"

namespace vox::hash {

template <CellWord Cell>
struct SlabSetRef {
  static constexpr uint32_t kSlabCells = 32, kSlots = 31;
  static constexpr uint32_t kFewestProbes = 1;
  static constexpr uint32_t kSlabSectors = kSlabCells * sizeof(Cell) / 32;
  static constexpr uint32_t kSlotMask = (1u << kSlots) - 1;
  static constexpr Cell kNoLink = kEmptyCell<Cell>, kTakenLink = kEmptyCell<Cell> - 1;

  Cell* cells;
  uint32_t* used;  // the number of slabs in use
  uint32_t buckets;
  uint64_t seed;
  CellFormat<Cell> format;

  VOX_HD uint32_t first_slab(Cell key) const { return bucket_of(mix64(key + seed), buckets); }
  VOX_HD Cell* slab(uint32_t number) const { return cells + uint64_t{number} * kSlabCells; }
  VOX_HD Cell cell(uint32_t slot) const { return cells[slot]; }
  VOX_HD void prefetch(Cell key) const { prefetch_lines(slab(first_slab(key)), kSlabCells * sizeof(Cell)); }

  template <class Group, class Held>
  VOX_HD uint32_t slots_with(Group group, const Held& held, Cell key) const {
    return group.ballot_of(held, [&](Cell cell) { return format.key(cell) == key; }) & kSlotMask;
  }

  template <class Group, class Probe>
  VOX_HD uint32_t find(Group group, Cell key, Probe& probe) const {
    for (uint32_t number = first_slab(key);;) {
      const auto held = group.template load_own<kSlabCells>(static_cast<const Cell*>(slab(number)));
      probe.read(kSlabSectors);
      if (const uint32_t same = slots_with(group, held, key); same != 0)
        return number * kSlabCells + static_cast<uint32_t>(lowest_bit(same));
      const Cell link = group.of_lane(held, kSlots);
      if (link == kNoLink) return kNoSlot;
      number = static_cast<uint32_t>(link);
    }
  }

  template <class Group, class Probe>
  VOX_HD void insert(Group group, Cell cell, KeyBuildStatus* status, Probe& probe) const {
    const Cell key = format.key(cell);
    uint32_t number = first_slab(key), slabs = 1;
    while (true) {
      Cell* const at = slab(number);
      const auto held = group.template load_shared_own<kSlabCells>(static_cast<const Cell*>(at));
      probe.read(kSlabSectors);
      if (const uint32_t same = slots_with(group, held, key); same != 0) {
        const Cell stored = group.of_lane(held, static_cast<uint32_t>(lowest_bit(same)));
        return group.once([&] { note_copy(status, stored, cell); });
      }
      const uint32_t empty =
          group.ballot_of(held, [](Cell other) { return other == kEmptyCell<Cell>; }) & kSlotMask;
      if (empty == 0) {
        const Cell link = group.of_lane(held, kSlots);
        number = link < kTakenLink ? static_cast<uint32_t>(link) : next_slab(group, at + kSlots, probe);
        ++slabs;
        continue;
      }
      const auto slot = static_cast<uint32_t>(lowest_bit(empty));
      probe.read(1);
      const bool stored = group.once([&] {
        return device::atomic_exchange_if_relaxed(at + slot, kEmptyCell<Cell>, cell) == kEmptyCell<Cell>;
      });
      if (!stored) continue;
      // Only a group that fills the first cell of a slab can have made the list longer.
      if (slot == 0) group.once([&] { note_probes(status, slabs); });
      return;
    }
  }

  // Returns the slab behind a full one that had no link: a new slab, or the one that another group is linking
  // at the same time. That group waits for nothing, so it is safe to wait for it.
  template <class Group, class Probe>
  VOX_HD uint32_t next_slab(Group group, Cell* link, Probe& probe) const {
    probe.read(1);
    return group.once([&] {
      Cell seen = device::atomic_exchange_if_relaxed(link, kNoLink, kTakenLink);
      if (seen == kNoLink) {
        seen = device::atomic_add(used, 1u);
        device::atomic_store_relaxed(link, seen);
      }
      while (seen == kTakenLink) {
        device::let_others_go_on();
        seen = device::atomic_load_relaxed(link);
      }
      return static_cast<uint32_t>(seen);
    });
  }
};

template <class Device, CellWord Cell>
class SlabSetTable final : public GroupSearchedKeyTable<Device, Cell, SlabSetRef<Cell>> {
 public:
  static constexpr const char* kName = "slabset";
  static constexpr KeyTableLoad kLoad = {.usual = 0.8, .most = 0.98};

  SlabSetTable(Device& device, const KeyTableOptions& options)
      : GroupSearchedKeyTable<Device, Cell, Slabs>(device, options),
        used_(device.template make<uint32_t>(1)) {
    this->link_every_ = Slabs::kSlabCells;
  }

  uint64_t bytes_in_use() const override {
    uint32_t used = 0;
    this->device_.download(&used, used_.data(), 1);
    return (uint64_t{used} * Slabs::kSlabCells + 1) * sizeof(Cell);
  }

 private:
  using Slabs = SlabSetRef<Cell>;

  uint64_t bytes_beside_cells() const override { return sizeof(uint32_t); }

  // A list of m keys has m / 31 slabs and, unless its last slab is the first, half a slab more, because the
  // last one is half full on average. The slots are therefore full to m / (m + 31 / 2). The 96 keys that
  // Molenaar & Eisemann aim at are a load factor of 0.86. At 0.98, a list has 760 keys.
  double keys_per_bucket() const {
    constexpr double kHalfSlab = Slabs::kSlots / 2.0;
    if (this->keys_per_bucket_ != 0) return this->keys_per_bucket_;
    return kHalfSlab * this->load_factor_ / (1 - this->load_factor_);
  }

  static uint64_t slabs_for(uint64_t buckets, uint64_t keys) { return buckets + keys / Slabs::kSlots; }

  void make_empty(uint64_t keys, uint64_t seed) override {
    const auto buckets = static_cast<uint64_t>(std::ceil(static_cast<double>(keys) / keys_per_bucket()));
    const auto some = static_cast<uint32_t>(std::clamp<uint64_t>(buckets, 1, kNoSlot / Slabs::kSlabCells));
    this->make_cells(slabs_for(some, keys) * Slabs::kSlabCells);
    this->device_.fill(used_.data(), 1, some);
    this->ref_ = {this->cells_.data(), used_.data(), some, seed, this->format_};
  }

  // Moves the lists to a larger array, in which each slab keeps its number.
  bool make_room(uint64_t keys) override {
    const uint64_t slots = slabs_for(this->ref_.buckets, keys) * Slabs::kSlabCells, before = this->slots_;
    if (slots <= before) return true;
    const device::Buffer<Cell> old = std::move(this->cells_);
    this->make_cells(slots);
    this->device_.copy(this->cells_.data(), old.data(), before);
    this->ref_.cells = this->cells_.data();
    return true;
  }

  device::Buffer<uint32_t> used_;
};

}  // namespace vox::hash
