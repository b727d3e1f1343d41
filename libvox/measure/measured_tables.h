// The tables of voxel keys that the benchmark measures: the library's own and, if the build was given the
// headers of cuCollections (VOX_BENCH_CUCO), its map.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libvox/hash/keyed/key_table.h"

namespace vox::measure {

inline constexpr const char* kCucoName = "cuco";

// Return the names in the order in which they are shown: all, or those that run on the device with this name.
std::vector<std::string> measured_tables();
std::vector<std::string> measured_tables(const std::string& device);

// Makes cuCollections' map. cuco_table.cuh specialises this for the only device and cells that the map
// supports.
template <class Device, hash::CellWord Cell>
struct CucoMaker {
  static std::unique_ptr<hash::KeyTable<Device, Cell>> make(Device&, const hash::KeyTableOptions&) {
    throw Error("the table 'cuco' needs 64-bit cells and a GPU");
  }
};

template <class Device, hash::CellWord Cell>
std::unique_ptr<hash::KeyTable<Device, Cell>> make_measured_table(Device& device,
                                                                  const hash::KeyTableOptions& options) {
  if (options.table == kCucoName) return CucoMaker<Device, Cell>::make(device, options);
  return hash::make_key_table<Device, Cell>(device, options);
}

}  // namespace vox::measure
