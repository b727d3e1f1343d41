// Columns that the results of all benchmarks have.
#pragma once

#include "libvox/measure/results.h"

namespace vox {

// Adds the columns ms, ms_min and ms_max of the rows' `time`.
void add_times(measure::ResultTable& table, const auto& rows) {
  table.column("ms", "ms", rows, [](const auto& row) { return row.time.median * 1e3; })
      .column("ms_min", "ms", rows, [](const auto& row) { return row.time.min * 1e3; })
      .column("ms_max", "ms", rows, [](const auto& row) { return row.time.max * 1e3; });
}

}  // namespace vox
