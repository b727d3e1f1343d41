// Implements any_key_table.h for any device. each_device.cpp includes it.
#pragma once

#include <algorithm>

#include "libvox/device/pool.h"
#include "tests/hash/keyed/any_key_table.h"

namespace vox {

// Writes the cell of each slot, or an empty cell if the slot holds no key.
template <class Cell>
struct CellsOfKeys {
  hash::HoldsKey<Cell> holds_key;
  Cell* to;
  VOX_HD void operator()(uint64_t i) const {
    to[i] = holds_key(i) ? holds_key.cell(i) : hash::kEmptyCell<Cell>;
  }
};

template <class Cell>
struct WriteMultiples {
  uint64_t first;
  Cell factor;
  Cell* to;
  VOX_HD void operator()(uint64_t i) const { to[i] = static_cast<Cell>(first + i) * factor; }
};

// Counts 1 for a key that is stored in its slot.
template <class Cell>
struct IsAtItsSlot {
  const Cell* keys;
  const uint32_t* slots;
  hash::HoldsKey<Cell> holds_key;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return slots[i] != hash::kNoSlot && holds_key(slots[i]) && holds_key.cell(slots[i]) == keys[i] ? 1 : 0;
  }
};

template <class Any, class Device, class Cell, class Table>
class KeyTableOnDevice : public Any {
 public:
  KeyTableOnDevice(Device& device, std::unique_ptr<Table> table)
      : device_(device), table_(std::move(table)) {}

  hash::KeyTableBuild build(const std::vector<Cell>& cells) override {
    const auto on_device = device::uploaded(device_, cells);
    return table_->build(on_device.data(), cells.size());
  }
  void build_of_none(uint64_t n) override { table_->build(nullptr, n); }
  hash::KeyTableBuild build_multiples(uint64_t n, Cell factor) override {
    return table_->build(multiples(0, n, factor).data(), n);
  }
  uint64_t count_multiples(uint64_t first, uint64_t n, Cell factor) override {
    constexpr uint64_t kMost = uint64_t{1} << 26;  // keys at a time
    uint64_t stored = 0;
    for (const uint64_t end = first + n; first < end; first += kMost) {
      const uint64_t count = std::min(kMost, end - first);
      const auto keys = multiples(first, count, factor);
      auto slots = device_.template make<uint32_t>(count);
      table_->find(keys.data(), count, slots.data());
      stored += device_.sum("count multiples", count,
                            IsAtItsSlot<Cell>{keys.data(), slots.data(), table_->holds_key()});
    }
    return stored;
  }
  std::optional<hash::KeyTableBuild> change(const std::vector<Cell>& erased,
                                            const std::vector<Cell>& added) override {
    const auto keys = device::uploaded(device_, erased), cells = device::uploaded(device_, added);
    return table_->change({keys.data(), erased.size(), cells.data(), added.size()});
  }
  std::vector<uint32_t> find(const std::vector<Cell>& keys) override {
    return search(keys, [&](auto... arguments) { table_->find(arguments...); });
  }
  std::vector<uint32_t> find_values(const std::vector<Cell>& keys) override {
    return search(keys, [&](auto... arguments) { table_->find_values(arguments...); });
  }
  std::vector<uint32_t> find_values_of_stored(const std::vector<Cell>& keys) override {
    return search(keys, [&](auto... arguments) { table_->find_values_of_stored(arguments...); });
  }
  std::vector<uint32_t> count_sectors(const std::vector<Cell>& keys) override {
    return search(keys, [&](auto... arguments) { table_->count_sectors(arguments...); });
  }
  std::vector<Cell> cells() override {
    std::vector<Cell> cells(table_->slots() + 1);
    auto on_device = device_.template make<Cell>(cells.size());
    device_.for_each("cells of keys", cells.size(), CellsOfKeys<Cell>{table_->holds_key(), on_device.data()});
    device_.download(cells.data(), on_device.data(), cells.size());
    return cells;
  }
  Cell cell_mask() override { return table_->cell_mask(); }
  std::vector<uint64_t> probes_of_keys() override { return table_->probes_of_keys(); }
  bool holds_apart() override { return table_->holds_apart(); }
  uint64_t bytes() override { return table_->bytes(); }

 protected:
  Device& device_;
  std::unique_ptr<Table> table_;

 private:
  // Marks results that a search does not write; no search returns this value.
  static constexpr uint32_t kUntouched = 0xfffffffe;

  device::Buffer<Cell> multiples(uint64_t first, uint64_t n, Cell factor) {
    auto keys = device_.template make<Cell>(n);
    device_.for_each("write multiples", n, WriteMultiples<Cell>{first, factor, keys.data()});
    return keys;
  }

  template <class F>
  std::vector<uint32_t> search(const std::vector<Cell>& keys, const F& f) {
    const auto on_device = device::uploaded(device_, keys);
    auto results = device::uploaded(device_, std::vector<uint32_t>(keys.size(), kUntouched));
    f(static_cast<const Cell*>(on_device.data()), keys.size(), results.data());
    std::vector<uint32_t> found(keys.size());
    device_.download(found.data(), results.data(), found.size());
    return found;
  }
};

template <class Device, class Cell>
class GrowingKeyTableOnDevice final
    : public KeyTableOnDevice<AnyGrowingKeyTable<Cell>, Device, Cell, hash::GrowingKeyTable<Device, Cell>> {
 public:
  using KeyTableOnDevice<AnyGrowingKeyTable<Cell>, Device, Cell,
                         hash::GrowingKeyTable<Device, Cell>>::KeyTableOnDevice;

  void expect(uint64_t keys, uint32_t keys_per_bucket) override {
    this->table_->expect(keys, keys_per_bucket);
  }
  hash::KeyTableBuild insert(const std::vector<Cell>& cells) override {
    const auto on_device = device::uploaded(this->device_, cells);
    return this->table_->insert(on_device.data(), cells.size());
  }
  hash::KeyTableBuild insert_counted(const std::vector<Cell>& cells) override {
    const auto on_device = device::uploaded(this->device_, cells);
    return this->table_->insert_counted(on_device.data(), cells.size());
  }
  uint64_t bytes_in_use() override { return this->table_->bytes_in_use(); }
};

template <class Device, class Cell>
class MultiMapOnDevice final : public AnyMultiMap<Cell> {
 public:
  MultiMapOnDevice(Device& device, const hash::KeyTableOptions& options, hash::RunOrder order)
      : device_(device), map_(device, options, order) {}

  hash::KeyTableBuild build(const std::vector<Cell>& keys, const std::vector<uint32_t>& values) override {
    count_ = keys.size();
    return map_.build(device::uploaded(device_, keys).data(), device::uploaded(device_, values).data(),
                      count_);
  }
  std::vector<hash::KeyRun> find(const std::vector<Cell>& keys) override {
    const auto on_device = device::uploaded(device_, keys);
    auto runs = device_.template make<hash::KeyRun>(keys.size());
    map_.find(on_device.data(), keys.size(), runs.data());
    return downloaded(runs.data(), keys.size());
  }
  std::vector<uint32_t> values() override { return downloaded(map_.values(), count_); }
  std::vector<uint32_t> find_numbers(const std::vector<Cell>& keys) override {
    const auto on_device = device::uploaded(device_, keys);
    auto numbers = device_.template make<uint32_t>(keys.size());
    map_.index().find(on_device.data(), keys.size(), numbers.data());
    return downloaded(numbers.data(), keys.size());
  }
  std::vector<Cell> numbered_keys() override { return downloaded(map_.index().keys(), map_.index().count()); }
  uint64_t bytes() override { return map_.bytes(); }

 private:
  template <class T>
  std::vector<std::remove_const_t<T>> downloaded(T* from, uint64_t n) {
    std::vector<std::remove_const_t<T>> values(n);
    device_.download(values.data(), from, n);
    return values;
  }

  Device& device_;
  hash::MultiMap<Device, Cell> map_;
  uint64_t count_ = 0;
};

template <class Cell, class Device>
std::unique_ptr<AnyKeyTable<Cell>> make_any_key_table_on(Device& device,
                                                         const hash::KeyTableOptions& options) {
  using Table = hash::KeyTable<Device, Cell>;
  return std::make_unique<KeyTableOnDevice<AnyKeyTable<Cell>, Device, Cell, Table>>(
      device, hash::make_key_table<Device, Cell>(device, options));
}

template <class Cell, class Device>
std::unique_ptr<AnyGrowingKeyTable<Cell>> make_any_growing_key_table_on(
    Device& device, const hash::KeyTableOptions& options) {
  return std::make_unique<GrowingKeyTableOnDevice<Device, Cell>>(
      device, hash::make_growing_key_table<Device, Cell>(device, options));
}

template <class Cell, class Device>
std::unique_ptr<AnyMultiMap<Cell>> make_any_multi_map_on(Device& device, const hash::KeyTableOptions& options,
                                                         hash::RunOrder order) {
  return std::make_unique<MultiMapOnDevice<Device, Cell>>(device, options, order);
}

}  // namespace vox
