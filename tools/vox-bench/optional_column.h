// Columns that only some runs have values for.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "libvox/measure/results.h"

namespace vox {

// Adds a column with get(row), which may be nothing, for each row. People see it where some row has a value.
template <class Rows, class Get>
measure::ResultTable& add_optional(measure::ResultTable& table, const measure::ResultName& name,
                                   const std::string& unit, const Rows& rows, const Get& get,
                                   const measure::Headings& headings) {
  const bool some = std::ranges::any_of(rows, [&](const auto& row) { return get(row).has_value(); });
  return table.column(name, unit, rows, get, some ? headings : measure::Headings());
}

}  // namespace vox
