// All hash tables that can hold a DAG: the one place that lists them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/hash/sector/tables.h"
#include "libvox/hash/slab/accel32.h"
#include "libvox/hash/slab/accel8.h"
#include "libvox/hash/slab/atomic64.h"
#include "libvox/hash/slab/tables.h"
#include "libvox/hash/slab/ticket.h"

namespace vox {

// A table's name, and the class that owns one for each item size on a device.
template <class Scheme>
struct SlabType {
  static constexpr const char* kName = Scheme::kName;
  template <class Device>
  using Tables = SlabTables<Device, Scheme>;
};

template <class... Types>
struct TableTypes {};

struct SectorType {
  static constexpr const char* kName = "sector";
  template <class Device>
  using Tables = SectorTables<Device>;
};

using AllTables =
    TableTypes<SlabType<Atomic64>, SlabType<Ticket>, SlabType<Accel32>, SlabType<Accel8>, SectorType>;

// Calls f(type) for every table, in the order in which they are shown.
template <class F, class... Types>
void for_each_table(const F& f, TableTypes<Types...>) {
  (f(Types()), ...);
}
template <class F>
void for_each_table(const F& f) {
  for_each_table(f, AllTables());
}

std::vector<std::string> table_names();
// Throws UsageError unless there is a table of this name.
void check_table_name(const std::string& name);

// f(type) for the table of this name.
template <class F>
void with_table(const std::string& name, const F& f) {
  check_table_name(name);
  for_each_table([&](auto type) {
    if (name == type.kName) f(type);
  });
}

}  // namespace vox
