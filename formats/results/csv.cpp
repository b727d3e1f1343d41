#include "formats/results/csv.h"

#include <fmt/format.h>

#include "formats/io/output_file.h"

namespace vox {
namespace {

std::string field(double value) {
  return fmt::format("{}", value);
}

std::string field(uint64_t value) {
  return fmt::format("{}", value);
}

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

size_t length(const ReportGroup::Column& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.values);
}

}  // namespace

std::string csv_text(const ReportGroup& table) {
  const auto& columns = table.columns();
  std::string text;
  auto end_field = [&](size_t column) { text += column + 1 < columns.size() ? "," : "\r\n"; };
  for (size_t column = 0; column < columns.size(); ++column) {
    text += field(columns[column].name);
    end_field(column);
  }
  const size_t rows = columns.empty() ? 0 : length(columns.front());
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns.size(); ++column) {
      text += std::visit([&](const auto& values) { return field(values[row]); }, columns[column].values);
      end_field(column);
    }
  return text;
}

void write_csv(const ReportGroup& table, const std::filesystem::path& path) {
  OutputFile file(path);
  file.write(csv_text(table));
  file.close();
  file.commit();
}

}  // namespace vox
