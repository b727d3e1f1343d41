#include "formats/results/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "formats/io/output_file.h"
#include "libvox/base/error.h"

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

std::string field(const measure::ResultColumn::List&) {
  throw Error("a table of comma-separated values holds no lists");
}

std::string field(const measure::ResultColumn& column, size_t row) {
  if (!column.has(row)) return "";
  return std::visit([&](const auto& values) { return field(values[row]); }, column.values);
}

}  // namespace

std::string csv_text(const measure::ResultTable& table) {
  std::string text;
  const auto add_line = [&](const auto& field_of) {
    std::string line;
    for (const measure::ResultColumn& column : table.columns())
      if (!column.name.report.empty()) line += field_of(column) + ",";
    if (line.empty()) return;
    line.pop_back();
    text += line + "\r\n";
  };
  add_line([](const measure::ResultColumn& column) { return field(column.name.report); });
  if (!text.empty() && text[0] != '"') text = '"' + text.insert(text.find_first_of(",\r"), "\"");
  for (size_t row = 0; row < table.rows(); ++row)
    add_line([&](const measure::ResultColumn& column) { return field(column, row); });
  return text;
}

bool is_csv_of_vox(std::string_view head) {
  const std::string_view names = head.substr(0, head.find('\n'));
  const size_t end = names.find('"', 1);
  const auto is_of_name = [](char c) {
    return std::islower(c) || std::isdigit(c) || c == '_' || c == '/' || c == ',';
  };
  return names.starts_with('"') && names.ends_with('\r') && end != std::string_view::npos &&
         std::ranges::all_of(names.substr(1, end - 1), is_of_name) &&
         std::ranges::all_of(names.substr(end + 1, names.size() - end - 2), is_of_name);
}

void write_csv(const measure::ResultTable& table, const std::filesystem::path& path) {
  OutputFile file(path);
  file.write(csv_text(table));
  file.commit();
}

}  // namespace vox
