// The table `perfect`: perfect spatial hashing (Lefebvre & Hoppe 2006), with which Alcantara et al. 2009 compare
// their table. A key k lies in the cell (k + offset[k mod r]) mod m. So a search reads an offset and a cell. Offsets
// are chosen one after the other, for the most crowded residues first, such that no two keys share a cell. The host
// does this, which takes far longer than other builds.
//
// The residues modulo r and m must tell all keys apart. The host begins with n / 6 offsets and makes the table of
// offsets larger until they do; the paper searches for the least size. If even m offsets do not suffice, as with random
// keys of 64 bits, the table is made for hashes of the keys.
#pragma once

#include <algorithm>
#include <vector>

#include "libvox/base/progress.h"
#include "libvox/hash/keyed/attempts.h"
#include "libvox/hash/keyed/keys.h"
#include "libvox/hash/keyed/searched.h"

namespace vox::hash {

// The numbers that lead from a key to its cell.
struct PerfectPlaces {
  uint32_t slots = 1;    // m, a prime
  uint32_t offsets = 1;  // r
  uint64_t seed = 0;     // the seed of the keys' hashes; 0: the keys are used as they are

  template <CellWord Cell>
  VOX_HD uint32_t residue(Cell key, uint32_t modulus) const {
    if (seed != 0) return static_cast<uint32_t>(mix64(key ^ seed) % modulus);
    return static_cast<uint32_t>(key % modulus);
  }
  VOX_HD uint32_t moved(uint32_t slot, uint32_t offset) const {
    const uint64_t to = uint64_t{slot} + offset;
    return static_cast<uint32_t>(to < slots ? to : to - slots);
  }
};

template <CellWord Cell>
struct PerfectRef {
  const Cell* cells;
  const uint32_t* offsets;
  PerfectPlaces places;
  CellFormat<Cell> format;

  VOX_HD Cell cell(uint32_t slot) const { return cells[slot]; }
  VOX_HD void prefetch(Cell key) const { prefetch_line(offsets + places.residue(key, places.offsets)); }

  template <class Probe>
  VOX_HD uint32_t find(Cell key, Probe& probe) const {
    const uint32_t* offset = offsets + places.residue(key, places.offsets);
    probe.read(1, offset);
    const uint32_t slot = places.moved(places.residue(key, places.slots), *offset);
    probe.read(1, cells + slot);
    return cells[slot] != kEmptyCell<Cell> && format.key(cells[slot]) == key ? slot : kNoSlot;
  }
};

// Chooses the offsets of a table.
template <CellWord Cell>
class PerfectOffsets {
 public:
  // The keys must differ from each other.
  PerfectOffsets(const std::vector<Cell>& keys, const PerfectPlaces& places)
      : places_(places), taken_(places.slots), offsets_(places.offsets), firsts_(places.offsets + 1) {
    for (const Cell key : keys) ++firsts_[places.residue(key, places.offsets) + 1];
    for (size_t i = 1; i < firsts_.size(); ++i) firsts_[i] += firsts_[i - 1];
    slots_.resize(keys.size());
    std::vector<uint32_t> next(firsts_.begin(), firsts_.end() - 1);
    for (const Cell key : keys)
      slots_[next[places.residue(key, places.offsets)]++] = places.residue(key, places.slots);
  }

  // Chooses the offsets. Returns false if none fit: two keys have both residues in common, or too few cells are left.
  bool choose() {
    for (uint32_t residue = 0; residue < places_.offsets; ++residue)
      if (share_a_cell(residue)) return false;
    std::vector<uint32_t> order(places_.offsets);
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, std::greater(), [&](uint32_t i) { return size_of(i); });
    for (const uint32_t residue : order) {
      throw_if_cancelled();
      if (size_of(residue) > 1 ? !place(residue) : size_of(residue) == 1 && !place_one(residue)) return false;
    }
    return true;
  }

  const std::vector<uint32_t>& offsets() const { return offsets_; }

 private:
  uint32_t size_of(uint32_t residue) const { return firsts_[residue + 1] - firsts_[residue]; }

  // Puts the keys of a residue in the order of their cells. Returns true if two have the same cell with any offset.
  bool share_a_cell(uint32_t residue) {
    const auto begin = slots_.begin() + firsts_[residue], end = slots_.begin() + firsts_[residue + 1];
    std::sort(begin, end);
    return std::adjacent_find(begin, end) != end;
  }

  // Finds an offset with which all keys of the residue get free cells.
  bool place(uint32_t residue) {
    const auto begin = slots_.begin() + firsts_[residue], end = slots_.begin() + firsts_[residue + 1];
    auto offset = static_cast<uint32_t>(mix64(residue) % places_.slots);
    for (uint32_t tried = 0; tried < places_.slots; ++tried) {
      if (std::none_of(begin, end, [&](uint32_t slot) { return taken_[places_.moved(slot, offset)]; })) {
        for (auto slot = begin; slot != end; ++slot) taken_[places_.moved(*slot, offset)] = true;
        offsets_[residue] = offset;
        return true;
      }
      if (++offset == places_.slots) offset = 0;
    }
    return false;
  }

  // Gives the next free cell to a residue that has a single key. There is a free cell for each key.
  bool place_one(uint32_t residue) {
    while (taken_[free_]) ++free_;
    taken_[free_] = true;
    const uint32_t slot = slots_[firsts_[residue]];
    offsets_[residue] = free_ >= slot ? free_ - slot : free_ + places_.slots - slot;
    return true;
  }

  PerfectPlaces places_;
  std::vector<bool> taken_;  // for each cell, whether it is taken
  std::vector<uint32_t> offsets_;
  std::vector<uint32_t>
      firsts_;                   // for each residue modulo r, its first key among those that are sorted by it
  std::vector<uint32_t> slots_;  // the slots of the sorted keys, modulo m
  uint32_t free_ = 0;            // all cells below this one are taken
};

template <class Device, CellWord Cell>
class PerfectTable final : public SearchedKeyTable<Device, Cell, PerfectRef<Cell>> {
 public:
  static constexpr const char* kName = "perfect";
  static constexpr KeyTableLoad kLoad = {.usual = 0.95, .most = 1};
  static constexpr uint64_t kMostKeys = uint64_t{1} << 24;

  PerfectTable(Device& device, const KeyTableOptions& options)
      : SearchedKeyTable<Device, Cell, PerfectRef<Cell>>(device, options) {}

 private:
  KeyTableBuild build_cells(const Cell* cells, uint64_t n) override {
    auto& device = this->device_;
    DistinctCells<Cell> distinct = distinct_cells(device, this->format_, cells, n);
    if (distinct.conflict) throw two_values(this->options_);
    std::vector<Cell> all(distinct.count), keys;
    device.download(all.data(), distinct.cells.data(), all.size());
    const bool holds_apart = !all.empty() && this->format_.key(all.back()) == this->format_.apart_key();
    const uint32_t apart = holds_apart ? this->format_.value(all.back()) : 0;
    if (holds_apart) all.pop_back();
    if (all.size() > kMostKeys)
      throw Error("the table 'perfect' is built by the host, for 16,777,216 keys at most");
    for (const Cell cell : all) keys.push_back(this->format_.key(cell));
    const PerfectPlaces places = choose_offsets(keys);
    fill_cells(all, places);
    if (holds_apart) this->keep_apart(apart);
    this->ref_ = {this->cells_.data(), offsets_.data(), places, this->format_};
    return {.keys = distinct.count, .most_probes = 2};
  }

  // The table of offsets grows by a quarter from one attempt to the next.
  PerfectPlaces choose_offsets(const std::vector<Cell>& keys) {
    PerfectPlaces places;
    places.slots = static_cast<uint32_t>(slots_for(keys.size(), this->load_factor_, 1));
    places.offsets = std::max(1u, static_cast<uint32_t>(keys.size() / 6));
    for (uint32_t attempt = 1;; ++attempt) {
      PerfectOffsets<Cell> offsets(keys, places);
      if (offsets.choose()) {
        offsets_ = device::uploaded(this->device_, offsets.offsets());
        return places;
      }
      places.offsets += places.offsets / 4 + 1;
      if (places.offsets < places.slots) continue;
      places.offsets = places.slots - 1;
      places.seed = attempt_seed(this->options_, attempt) | 1;
    }
  }

  void fill_cells(const std::vector<Cell>& all, const PerfectPlaces& places) {
    std::vector<uint32_t> offsets(places.offsets);
    this->device_.download(offsets.data(), offsets_.data(), offsets.size());
    std::vector<Cell> cells(places.slots, kEmptyCell<Cell>);
    for (const Cell cell : all) {
      const Cell key = this->format_.key(cell);
      cells[places.moved(places.residue(key, places.slots), offsets[places.residue(key, places.offsets)])] =
          cell;
    }
    this->make_cells(places.slots);
    this->device_.upload(this->cells_.data(), cells.data(), cells.size());
  }

  uint64_t bytes_beside_cells() const override { return offsets_.size() * sizeof(uint32_t); }

  device::Buffer<uint32_t> offsets_;
};

}  // namespace vox::hash
