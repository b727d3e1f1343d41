// The tables of voxel keys that the benchmark measures: the library's own and, in a build that was given its headers
// (-DVOX_BENCH_CUCO=…), that of cuCollections, on a GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libvox/hash/keyed/key_table.h"

namespace vox::measure {

inline constexpr const char* kCucoName = "cuco";

// The names of all of them, whatever the device is.
inline std::vector<std::string> measured_tables() {
  std::vector<std::string> names = hash::key_table_names();
#ifdef VOX_HAS_CUCO
  names.emplace_back(kCucoName);
#endif
  return names;
}

// Makes a table for a device; of cuCollections' there is a specialisation for GPUs (cuco_table.cuh).
template <class Device, hash::CellWord Cell>
struct ForeignTable {
  static std::unique_ptr<hash::KeyTable<Device, Cell>> make(Device&, const hash::KeyTableOptions&) {
    throw Error("the table 'cuco' is for GPUs, with cells of 64 bits");
  }
};

template <class Device, hash::CellWord Cell>
std::unique_ptr<hash::KeyTable<Device, Cell>> make_measured_table(Device& device,
                                                                  const hash::KeyTableOptions& options) {
  if (options.table == kCucoName) return ForeignTable<Device, Cell>::make(device, options);
  return hash::make_key_table<Device, Cell>(device, options);
}

}  // namespace vox::measure
