// The tables of voxel keys that the benchmark measures: the library's own and, in a build that was given its headers
// (VOX_BENCH_CUCO), cuCollections' map.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libvox/hash/keyed/key_table.h"

namespace vox::measure {

inline constexpr const char* kCucoName = "cuco";

// The names of all of them, in the order in which they are shown; or of those that run on the device of this name.
std::vector<std::string> measured_tables();
std::vector<std::string> measured_tables(const std::string& device);

// Makes cuCollections' map. cuco_table.cuh has a specialisation for the device and the cells that it is for.
template <class Device, hash::CellWord Cell>
struct CucoMaker {
  static std::unique_ptr<hash::KeyTable<Device, Cell>> make(Device&, const hash::KeyTableOptions&) {
    throw Error("the table 'cuco' is for cells of 64 bits on a GPU");
  }
};

template <class Device, hash::CellWord Cell>
std::unique_ptr<hash::KeyTable<Device, Cell>> make_measured_table(Device& device,
                                                                  const hash::KeyTableOptions& options) {
  if (options.table == kCucoName) return CucoMaker<Device, Cell>::make(device, options);
  return hash::make_key_table<Device, Cell>(device, options);
}

}  // namespace vox::measure
