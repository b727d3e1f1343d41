#include "libvox/hash/keyed/key_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "libvox/base/units.h"

namespace vox::hash {

void check_key_table_options(const KeyTableOptions& options, uint32_t cell_bits) {
  const std::vector<std::string> names = key_table_names();
  if (std::ranges::count(names, options.table) == 0)
    throw UsageError(fmt::format("there is no table of voxel keys '{}', expected one of: {}", options.table,
                                 fmt::join(names, ", ")));
  if (!(options.load_factor > 0 && options.load_factor <= 1))
    throw UsageError(fmt::format("a load factor is above 0 and at most 1, not {}", options.load_factor));
  if (options.value_bits > cell_bits / 2)
    throw UsageError(fmt::format("cells of {} bits have values of at most {} bits, not {}", cell_bits,
                                 cell_bits / 2, options.value_bits));
  if (options.age_bits < 2 || options.age_bits > 4)
    throw UsageError(fmt::format("maximum ages have 2 to 4 bits, not {}", options.age_bits));
}

Error two_values(const KeyTableOptions& options) {
  return Error(fmt::format("a key comes with two different values, but a table '{}' holds one for each key",
                           options.table));
}

Error cannot_build(const KeyTableOptions& options, uint64_t keys, uint32_t attempts) {
  return Error(fmt::format("a table '{}' of {} keys with a load factor of {} could not be built in {}",
                           options.table, format_count(keys), options.load_factor,
                           format_count(attempts, "attempt")))
      .hint("a lower load factor may help");
}

}  // namespace vox::hash
