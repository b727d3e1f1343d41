#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libvox/base/bits.h"
#include "libvox/base/units.h"
#include "libvox/device/cpu_device.h"
#include "libvox/hash/keyed/make_key_tables_impl.h"

namespace vox::hash {

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

void check_key_table_options(const KeyTableOptions& options, uint32_t cell_bits) {
  const double most = most_load_factor(options.table), load_factor = load_factor_of(options);
  if (!(load_factor > 0 && load_factor <= most))
    throw UsageError(fmt::format("the load factor of a table '{}' must be above 0 and at most {}, not {}",
                                 options.table, most, load_factor));
  if (options.value_bits > cell_bits / 2)
    throw UsageError(fmt::format("cells of {} bits can hold values of at most {} bits, not {}", cell_bits,
                                 cell_bits / 2, options.value_bits));
  if (options.age_bits < 2 || options.age_bits > 4)
    throw UsageError(fmt::format("maximum ages must have 2 to 4 bits, not {}", options.age_bits));
  if (options.most_attempts == 0u)
    throw UsageError("the number of attempts to build a table must be at least 1");
}

void check_values_are_beside(const KeyTableOptions& options) {
  if (options.value_bits != 0)
    throw UsageError("a map needs cells without values, because it keeps its values beside the cells");
}

double load_factor_of(const KeyTableOptions& options) {
  const double usual = key_table_load(options.table).usual;
  return options.load_factor.value_or(usual);
}

uint64_t attempt_seed(const KeyTableOptions& options, uint32_t attempt) {
  return mix64(mix64(options.seed + 1) + attempt);
}

Error two_values(const KeyTableOptions& options) {
  return Error(fmt::format("a key comes with two different values, but a table '{}' holds one for each key",
                           options.table));
}

Error cannot_build(const KeyTableOptions& options, uint64_t keys, uint32_t attempts) {
  return Error(fmt::format("a table '{}' of {} keys with a load factor of {} could not be built in {}",
                           options.table, format_count(keys), load_factor_of(options),
                           format_count(attempts, "attempt")))
      .hint("a lower load factor may help");
}

Error too_many_keys(const KeyTableOptions& options, uint64_t keys) {
  return Error(fmt::format("a table '{}' of {} keys with a load factor of {} would need {} cells or more",
                           options.table, format_count(keys), load_factor_of(options),
                           format_count(kNoSlot)));
}

}  // namespace vox::hash
