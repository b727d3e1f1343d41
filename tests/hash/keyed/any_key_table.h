// Tables of voxel keys, and maps built on them, on the device that VOX_TEST_DEVICE names. All calls take and
// return vectors, so that tests are written once, in plain C++.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "libvox/device/handle.h"
#include "libvox/hash/keyed/growing_key_table.h"
#include "libvox/hash/keyed/key_value_map.h"
#include "libvox/hash/keyed/multi_map.h"

namespace vox {

template <class Cell>
class AnyKeyTable {
 public:
  virtual ~AnyKeyTable() = default;
  virtual hash::KeyTableBuild build(const std::vector<Cell>& cells) = 0;
  // Builds with a number of cells, without passing any: for numbers that must be refused.
  virtual void build_of_none(uint64_t n) = 0;
  // Builds with the keys 0, factor, 2 · factor, …; count_multiples() counts the stored keys among the
  // multiples from `first` on.
  virtual hash::KeyTableBuild build_multiples(uint64_t n, Cell factor) = 0;
  virtual uint64_t count_multiples(uint64_t first, uint64_t n, Cell factor) = 0;
  virtual std::vector<uint32_t> find(const std::vector<Cell>& keys) = 0;
  virtual std::vector<uint32_t> find_values(const std::vector<Cell>& keys) = 0;
  virtual std::vector<uint32_t> find_values_of_stored(const std::vector<Cell>& keys) = 0;
  virtual std::vector<uint32_t> count_sectors(const std::vector<Cell>& keys) = 0;
  // Returns all slots and the cell behind them. A slot that holds a link counts as empty, and bits that the
  // variant adds are removed.
  virtual std::vector<Cell> cells() = 0;
  virtual Cell cell_mask() = 0;
  virtual std::vector<uint64_t> probes_of_keys() = 0;
  virtual bool holds_apart() = 0;
  virtual uint64_t bytes() = 0;
};

template <class Cell>
class AnyGrowingKeyTable : public AnyKeyTable<Cell> {
 public:
  virtual void expect(uint64_t keys, uint32_t keys_per_bucket) = 0;
  virtual hash::KeyTableBuild insert(const std::vector<Cell>& cells) = 0;
  virtual hash::KeyTableBuild insert_counted(const std::vector<Cell>& cells) = 0;
  virtual uint64_t bytes_in_use() = 0;
};

// A map and the index of its keys.
template <class Cell>
class AnyMultiMap {
 public:
  virtual ~AnyMultiMap() = default;
  virtual hash::KeyTableBuild build(const std::vector<Cell>& keys, const std::vector<uint32_t>& values) = 0;
  virtual std::vector<hash::KeyRun> find(const std::vector<Cell>& keys) = 0;
  virtual std::vector<uint32_t> values() = 0;
  virtual std::vector<uint32_t> find_numbers(const std::vector<Cell>& keys) = 0;
  virtual std::vector<Cell> numbered_keys() = 0;
  virtual uint64_t bytes() = 0;
};

template <class Cell, class Value>
class AnyKeyValueMap {
 public:
  virtual ~AnyKeyValueMap() = default;
  virtual hash::KeyTableBuild build(const std::vector<Cell>& keys, const std::vector<Value>& values) = 0;
  virtual std::vector<Value> find(const std::vector<Cell>& keys, const Value& none) = 0;
  virtual uint64_t slots() = 0;
  virtual uint64_t bytes() = 0;
};

// Values of 16 bytes that are aligned to only 4 bytes.
using FourWords = std::array<uint32_t, 4>;

// The device's engine must outlive the table or the map.
template <class Cell, class Device>
std::unique_ptr<AnyKeyTable<Cell>> make_any_key_table_on(Device& device,
                                                         const hash::KeyTableOptions& options);
template <class Cell>
std::unique_ptr<AnyKeyTable<Cell>> make_any_key_table(const device::DeviceHandle& device,
                                                      const hash::KeyTableOptions& options);
template <class Cell, class Device>
std::unique_ptr<AnyGrowingKeyTable<Cell>> make_any_growing_key_table_on(Device& device,
                                                                        const hash::KeyTableOptions& options);
template <class Cell>
std::unique_ptr<AnyGrowingKeyTable<Cell>> make_any_growing_key_table(const device::DeviceHandle& device,
                                                                     const hash::KeyTableOptions& options);
template <class Cell, class Device>
std::unique_ptr<AnyMultiMap<Cell>> make_any_multi_map_on(Device& device, const hash::KeyTableOptions& options,
                                                         hash::RunOrder order);
template <class Cell>
std::unique_ptr<AnyMultiMap<Cell>> make_any_multi_map(const device::DeviceHandle& device,
                                                      const hash::KeyTableOptions& options,
                                                      hash::RunOrder order);
template <class Cell, class Value, class Device>
std::unique_ptr<AnyKeyValueMap<Cell, Value>> make_any_key_value_map_on(Device& device,
                                                                       const hash::KeyTableOptions& options);
template <class Cell, class Value>
std::unique_ptr<AnyKeyValueMap<Cell, Value>> make_any_key_value_map(const device::DeviceHandle& device,
                                                                    const hash::KeyTableOptions& options);

}  // namespace vox
