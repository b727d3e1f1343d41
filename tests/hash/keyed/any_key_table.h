// A table of voxel keys on the device that VOX_TEST_DEVICE names, behind calls that take and give vectors, so
// that tests are written once, in plain C++.
#pragma once

#include <memory>
#include <vector>

#include "libvox/device/handle.h"
#include "libvox/hash/keyed/key_table.h"

namespace vox {

template <class Cell>
class AnyKeyTable {
 public:
  virtual ~AnyKeyTable() = default;
  virtual hash::KeyTableBuild build(const std::vector<Cell>& cells) = 0;
  virtual std::vector<uint32_t> find(const std::vector<Cell>& keys) = 0;
  virtual std::vector<uint32_t> find_values(const std::vector<Cell>& keys) = 0;
  virtual std::vector<uint32_t> find_values_of_stored(const std::vector<Cell>& keys) = 0;
  virtual std::vector<uint32_t> count_sectors(const std::vector<Cell>& keys) = 0;
  virtual std::vector<Cell>
  cells() = 0;  // all slots, and the cell behind them; what the variant adds is gone
  virtual Cell cell_mask() = 0;
  virtual std::vector<uint64_t> probes_of_keys() = 0;
  virtual bool holds_apart() = 0;
  virtual uint64_t bytes() = 0;
};

// The engine that the device belongs to has to outlive the table.
template <class Cell, class Device>
std::unique_ptr<AnyKeyTable<Cell>> make_any_key_table_on(Device& device,
                                                         const hash::KeyTableOptions& options);
template <class Cell>
std::unique_ptr<AnyKeyTable<Cell>> make_any_key_table(const device::DeviceHandle& device,
                                                      const hash::KeyTableOptions& options);

}  // namespace vox
