// Rows of a benchmark as the columns of a report.
#pragma once

#include <variant>
#include <vector>

#include "formats/results/report_file.h"
#include "libvox/base/json.h"

namespace vox {

template <class Row, class Value>
auto values_of(const std::vector<Row>& rows, const Value& value) {
  std::vector<decltype(value(rows.front()))> values;
  for (const Row& row : rows) values.push_back(value(row));
  return values;
}

// ms, ms_min and ms_max of their `time`.
void add_times(ReportGroup& table, const auto& rows) {
  table.column("ms", values_of(rows, [](const auto& row) { return row.time.median * 1e3; }), "ms")
      .column("ms_min", values_of(rows, [](const auto& row) { return row.time.min * 1e3; }), "ms")
      .column("ms_max", values_of(rows, [](const auto& row) { return row.time.max * 1e3; }), "ms");
}

// An object for each row.
void append_rows(Json& array, const ReportGroup& table);

}  // namespace vox
