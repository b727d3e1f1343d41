// Finds the different cells among cells that may come more than once.
#pragma once

#include "libvox/device/runs.h"
#include "libvox/hash/keyed/build_status.h"

namespace vox::hash {

template <CellWord Cell>
struct DiffersFromItsTwin {
  const Cell* cells;
  CellFormat<Cell> format;
  VOX_HD bool operator()(uint64_t i) const {
    return i > 0 && format.key(cells[i]) == format.key(cells[i - 1]) && cells[i] != cells[i - 1];
  }
};

template <CellWord Cell>
struct DistinctCells {
  device::Buffer<Cell> cells;  // in ascending order
  uint64_t count = 0;
  bool conflict = false;  // true if a key comes with two values
};

template <class Device, CellWord Cell>
DistinctCells<Cell> distinct_of_sorted(Device& device, CellFormat<Cell> format, const Cell* sorted,
                                       uint64_t n) {
  DistinctCells<Cell> distinct;
  distinct.conflict = device.sum("find conflicts", n, DiffersFromItsTwin<Cell>{sorted, format}) != 0;
  const device::Runs runs = device::find_runs(device, "select different cells", sorted, n);
  distinct.count = runs.count;
  distinct.cells = device.template make<Cell>(runs.count);
  device.for_each("take cells", runs.count,
                  device::TakeChosen<Cell>{sorted, runs.starts.data(), distinct.cells.data()});
  return distinct;
}

template <class Device, CellWord Cell>
DistinctCells<Cell> distinct_cells(Device& device, CellFormat<Cell> format, const Cell* cells, uint64_t n) {
  auto sorted = device.template make<Cell>(n);
  device.copy(sorted.data(), cells, n);
  device.sort_keys({"sort cells", 2.0 * sizeof(Cell)}, sorted, n, CellFormat<Cell>::kBits);
  return distinct_of_sorted(device, format, sorted.data(), n);
}

}  // namespace vox::hash
