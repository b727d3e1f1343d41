#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "libvox/device/cpu_device.h"
#include "libvox/hash/make_tables_impl.h"

namespace vox::hash {

template std::unique_ptr<TableSet<device::CpuDevice>> make_tables(device::CpuDevice&, const TableOptions&);

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const auto& variant : kTableVariants<device::CpuDevice>) names.emplace_back(variant.name);
  return names;
}

void check_table_name(const std::string& name) {
  const auto names = table_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError(
        fmt::format("there is no hash table '{}', expected one of: {}", name, fmt::join(names, ", ")));
}

}  // namespace vox::hash
