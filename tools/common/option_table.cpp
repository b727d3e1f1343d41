#include "tools/common/option_table.h"

#include <fmt/format.h>

#include "libvox/base/error.h"

namespace vox {

std::vector<std::string> given_options(const cxxopts::ParseResult& parsed) {
  std::vector<std::string> names;
  for (const auto& argument : parsed.arguments()) names.push_back(argument.key());
  return names;
}

void check_options(std::span<const std::string> given, std::span<const OptionRow> table,
                   const RunTraits& run) {
  for (const std::string& option : given)
    for (const OptionRow& row : table)
      if (row.option == option && (row.traits & run.bits) == 0)
        throw UsageError(fmt::format("{} has no effect on {}: {}", option == "output" ? "-o" : "--" + option,
                                     run.what, row.instead));
}

}  // namespace vox
