// All tables of voxel keys: the one place that lists them. make_key_tables_cpu.cpp and
// make_key_tables_cuda.cu include it, each for one device.
#pragma once

#include <array>

#include "libvox/hash/keyed/cuckoo2009.h"
#include "libvox/hash/keyed/cuckoo2011.h"
#include "libvox/hash/keyed/lines.h"
#include "libvox/hash/keyed/open.h"
#include "libvox/hash/keyed/robin.h"
#include "libvox/hash/keyed/sorted.h"

namespace vox::hash {

template <class Device, CellWord Cell>
struct KeyTableVariant {
  const char* name;
  KeyTableLoad load;
  std::unique_ptr<KeyTable<Device, Cell>> (*make)(Device&, const KeyTableOptions&);
};

template <class Device, CellWord Cell, template <class, class> class Table>
constexpr KeyTableVariant<Device, Cell> key_variant() {
  return {Table<Device, Cell>::kName, Table<Device, Cell>::kLoad,
          [](Device& device, const KeyTableOptions& options) {
            return std::unique_ptr<KeyTable<Device, Cell>>(
                std::make_unique<Table<Device, Cell>>(device, options));
          }};
}

template <class Device, CellWord Cell>
constexpr std::array kKeyTableVariants = {
    key_variant<Device, Cell, LinesTable>(),       key_variant<Device, Cell, CoherentRobinTable>(),
    key_variant<Device, Cell, RandomRobinTable>(), key_variant<Device, Cell, OpenTable>(),
    key_variant<Device, Cell, Cuckoo2009Table>(),  key_variant<Device, Cell, Cuckoo2011Table>(),
    key_variant<Device, Cell, SortedTable>(),
};

template <class Device, CellWord Cell>
std::unique_ptr<KeyTable<Device, Cell>> make_key_table(Device& device, const KeyTableOptions& options) {
  check_key_table_options(options, CellFormat<Cell>::kBits);
  for (const KeyTableVariant<Device, Cell>& variant : kKeyTableVariants<Device, Cell>)
    if (options.table == variant.name) return variant.make(device, options);
  return nullptr;
}

}  // namespace vox::hash
