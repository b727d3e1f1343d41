// The list of all variants of tables of voxel keys, for any device.
#pragma once

#include <array>

#include "libvox/hash/keyed/baselines.h"
#include "libvox/hash/keyed/cuckoo2009.h"
#include "libvox/hash/keyed/cuckoo_buckets.h"
#include "libvox/hash/keyed/lines.h"
#include "libvox/hash/keyed/perfect.h"
#include "libvox/hash/keyed/robin.h"
#include "libvox/hash/keyed/slabset.h"

namespace vox::hash {

template <class Device, class Table>
struct KeyTableVariant {
  const char* name;
  KeyTableLoad load;
  std::unique_ptr<Table> (*make)(Device&, const KeyTableOptions&);
};

template <class Device, class Table, class Variant>
constexpr KeyTableVariant<Device, Table> key_variant() {
  return {Variant::kName, Variant::kLoad, [](Device& device, const KeyTableOptions& options) {
            auto table = std::make_unique<Variant>(device, options);
            table->build(nullptr, 0);  // so that searches in the new table find nothing
            return std::unique_ptr<Table>(std::move(table));
          }};
}

// The variants that can grow are in both lists.
template <class Device, CellWord Cell, class Table = GrowingKeyTable<Device, Cell>>
constexpr std::array kGrowingKeyTableVariants = {
    key_variant<Device, Table, SlabSetTable<Device, Cell>>(),
    key_variant<Device, Table, CuckooBucketsTable<Device, Cell>>(),
};
template <class Device, CellWord Cell, class Table = KeyTable<Device, Cell>>
constexpr std::array kKeyTableVariants = {
    key_variant<Device, Table, LinesTable<Device, Cell>>(),
    key_variant<Device, Table, CoherentRobinTable<Device, Cell>>(),
    key_variant<Device, Table, RandomRobinTable<Device, Cell>>(),
    key_variant<Device, Table, OpenTable<Device, Cell>>(),
    key_variant<Device, Table, Cuckoo2009Table<Device, Cell>>(),
    key_variant<Device, Table, SizedCuckoo2009Table<Device, Cell>>(),
    key_variant<Device, Table, Cuckoo2011Table<Device, Cell>>(),
    key_variant<Device, Table, SortedTable<Device, Cell>>(),
    key_variant<Device, Table, PerfectTable<Device, Cell>>(),
    key_variant<Device, Table, SlabSetTable<Device, Cell>>(),
    key_variant<Device, Table, CuckooBucketsTable<Device, Cell>>(),
};

template <class Device, CellWord Cell>
std::unique_ptr<KeyTable<Device, Cell>> make_key_table(Device& device, const KeyTableOptions& options) {
  check_key_table_options(options, CellFormat<Cell>::kBits);
  for (const auto& variant : kKeyTableVariants<Device, Cell>)
    if (options.table == variant.name) return variant.make(device, options);
  return nullptr;
}

template <class Device, CellWord Cell>
std::unique_ptr<GrowingKeyTable<Device, Cell>> make_growing_key_table(Device& device,
                                                                      const KeyTableOptions& options) {
  check_key_table_options(options, CellFormat<Cell>::kBits);
  for (const auto& variant : kGrowingKeyTableVariants<Device, Cell>)
    if (options.table == variant.name) return variant.make(device, options);
  throw UsageError("a table '" + options.table + "' cannot get more keys after it is built");
}

}  // namespace vox::hash
