// Columns that the results of all benchmarks have.
#pragma once

#include <optional>

#include "libvox/measure/results.h"
#include "libvox/measure/timing.h"

namespace vox {

// Adds the columns ms, ms_min and ms_max of the rows' `time`, which some of them may lack.
void add_times(measure::ResultTable& table, const auto& rows) {
  const auto add = [&](const char* name, double measure::Timing::*which) {
    table.column(name, "ms", rows, [which](const auto& row) {
      if constexpr (requires { row.time.has_value(); })
        return row.time ? std::optional((*row.time).*which * 1e3) : std::nullopt;
      else
        return row.time.*which * 1e3;
    });
  };
  add("ms", &measure::Timing::median);
  add("ms_min", &measure::Timing::min);
  add("ms_max", &measure::Timing::max);
}

}  // namespace vox
