#include "libvox/hash/table_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace vox {

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for_each_table([&](auto type) { names.emplace_back(type.kName); });
  return names;
}

void check_table_name(const std::string& name) {
  const auto names = table_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError(fmt::format("--table is '{}', expected one of: {}", name, fmt::join(names, ", ")));
}

}  // namespace vox
