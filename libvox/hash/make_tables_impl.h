// The list of all variants of hash tables, for any device.
#pragma once

#include <array>

#include "libvox/hash/sector/batches.h"
#include "libvox/hash/slab/tables.h"
#include "libvox/hash/slab/variants.h"
#include "libvox/hash/table_options.h"
#include "libvox/hash/table_set.h"

namespace vox::hash {

template <class Device>
struct TableVariant {
  const char* name;
  std::unique_ptr<TableSet<Device>> (*make)(Device&, const TableOptions&);
};

template <class Device, class Tables>
constexpr TableVariant<Device> variant() {
  static_assert(std::is_base_of_v<TableSet<Device>, Tables>);
  return {Tables::kName, [](Device& device, const TableOptions& options) {
            return std::unique_ptr<TableSet<Device>>(std::make_unique<Tables>(device, options));
          }};
}

template <class Device>
constexpr std::array kTableVariants = {
    variant<Device, SlabTables<Device, Atomic64>>(), variant<Device, SlabTables<Device, Ticket>>(),
    variant<Device, SlabTables<Device, Accel32>>(),  variant<Device, SlabTables<Device, Accel8>>(),
    variant<Device, SectorTables<Device>>(),
};

template <class Device>
std::unique_ptr<TableSet<Device>> make_tables(Device& device, const TableOptions& options) {
  check_table_name(options.table);
  for (const TableVariant<Device>& variant : kTableVariants<Device>)
    if (options.table == variant.name) return variant.make(device, options);
  return nullptr;
}

}  // namespace vox::hash
