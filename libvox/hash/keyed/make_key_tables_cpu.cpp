#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libvox/device/cpu_device.h"
#include "libvox/hash/keyed/make_key_tables_impl.h"

namespace vox::hash {

template std::unique_ptr<KeyTable<device::CpuDevice, uint32_t>> make_key_table(device::CpuDevice&,
                                                                               const KeyTableOptions&);
template std::unique_ptr<KeyTable<device::CpuDevice, uint64_t>> make_key_table(device::CpuDevice&,
                                                                               const KeyTableOptions&);
template std::unique_ptr<GrowingKeyTable<device::CpuDevice, uint32_t>> make_growing_key_table(
    device::CpuDevice&, const KeyTableOptions&);
template std::unique_ptr<GrowingKeyTable<device::CpuDevice, uint64_t>> make_growing_key_table(
    device::CpuDevice&, const KeyTableOptions&);

std::vector<std::string> key_table_names() {
  std::vector<std::string> names;
  for (const auto& variant : kKeyTableVariants<device::CpuDevice, uint64_t>) names.emplace_back(variant.name);
  return names;
}

KeyTableLoad key_table_load(const std::string& table) {
  for (const auto& variant : kKeyTableVariants<device::CpuDevice, uint64_t>)
    if (table == variant.name) return variant.load;
  throw UsageError(fmt::format("there is no table of voxel keys '{}', expected one of: {}", table,
                               fmt::join(key_table_names(), ", ")));
}

std::vector<std::string> growing_key_table_names() {
  std::vector<std::string> names;
  for (const auto& variant : kGrowingKeyTableVariants<device::CpuDevice, uint64_t>)
    names.emplace_back(variant.name);
  return names;
}

}  // namespace vox::hash
