// Numbers the different keys of a batch and finds the key of a number: the compacting table and two-way index
// of Alcantara et al. 2009, §4.3, on any table of voxel keys. A prefix sum over the table's cells numbers
// those that hold a key from 0 to count() - 1, in the order of their slots.
#pragma once

#include "libvox/hash/keyed/key_table.h"

namespace vox::hash {

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

}  // namespace vox::hash
