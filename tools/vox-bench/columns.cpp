#include "tools/vox-bench/columns.h"

namespace vox {

void append_rows(Json& array, const ReportGroup& table) {
  const auto& columns = table.columns();
  const size_t rows = std::visit([](const auto& values) { return values.size(); }, columns.front().values);
  for (size_t i = 0; i < rows; ++i) {
    Json& row = array.append();
    for (const auto& column : columns)
      std::visit([&](const auto& values) { row.set(column.name, values[i]); }, column.values);
  }
}

}  // namespace vox
