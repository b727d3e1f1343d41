#include "formats/results/json_rows.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "formats/io/mapped_file.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

namespace json = simdjson::dom;

using JsonScalar = std::variant<std::monostate, uint64_t, double, std::string>;

// The values of one name in all rows so far. The vector may be shorter than the rows: the last values are
// then missing.
struct JsonColumn {
  std::string name;
  std::vector<JsonScalar> values;
};

// Returns nothing for null, a list or an object.
JsonScalar scalar_of(const json::element& element) {
  uint64_t count = 0;
  double number = 0;
  bool flag = false;
  std::string_view text;
  if (element.get(count) == simdjson::SUCCESS) return count;
  if (element.get(number) == simdjson::SUCCESS) return number;
  if (element.get(flag) == simdjson::SUCCESS) return uint64_t{flag};
  if (element.get(text) == simdjson::SUCCESS) return std::string(text);
  return {};
}

bool any_of_kind(const JsonColumn& column, const auto& is_kind) {
  return std::ranges::any_of(column.values, is_kind);
}

// Adds the column with values of one kind, the first that holds them all: counts, numbers, texts.
void add_column(measure::ResultTable& table, const JsonColumn& column) {
  const auto add = [&](const auto& value_of) {
    table.column(column.name, "", column.values, [&](const JsonScalar& value) {
      return std::holds_alternative<std::monostate>(value) ? std::nullopt : std::optional(value_of(value));
    });
  };
  const auto number_of = [](const JsonScalar& value) {
    const auto* const count = std::get_if<uint64_t>(&value);
    return count != nullptr ? static_cast<double>(*count) : std::get<double>(value);
  };
  if (any_of_kind(column, [](const JsonScalar& value) { return std::holds_alternative<std::string>(value); }))
    add([&](const JsonScalar& value) {
      const auto* const text = std::get_if<std::string>(&value);
      return text != nullptr ? *text : fmt::format("{}", number_of(value));
    });
  else if (any_of_kind(column, [](const JsonScalar& value) { return std::holds_alternative<double>(value); }))
    add(number_of);
  else
    add([](const JsonScalar& value) { return std::get<uint64_t>(value); });
}

measure::ResultTable rows_of(const json::array& list) {
  std::vector<JsonColumn> columns;
  std::map<std::string, size_t, std::less<>> places;
  size_t rows = 0;
  for (const json::element element : list) {
    json::object row;
    if (element.get(row) != simdjson::SUCCESS) throw Error(fmt::format("rows[{}] is no object", rows));
    for (const auto& [name, value] : row) {
      const auto [place, is_new] = places.try_emplace(std::string(name), columns.size());
      if (is_new) columns.push_back({std::string(name), {}});
      JsonColumn& column = columns[place->second];
      column.values.resize(rows);
      column.values.push_back(scalar_of(value));
    }
    ++rows;
  }
  measure::ResultTable table;
  for (JsonColumn& column : columns) {
    column.values.resize(rows);
    add_column(table, column);
  }
  return table;
}

std::string text_of(const json::object& object, std::string_view name) {
  std::string_view text;
  return object.at_key(name).get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

}  // namespace

ReadResults parse_results(std::string_view text) {
  json::parser parser;
  json::object root;
  json::array rows;
  if (const auto problem = parser.parse(text.data(), text.size()).get(root); problem != simdjson::SUCCESS)
    throw Error(fmt::format("no JSON object: {}", simdjson::error_message(problem)));
  if (root.at_key("rows").get(rows) != simdjson::SUCCESS)
    throw Error("has no rows, expected the results of a benchmark");
  return {text_of(root, "device"), text_of(root, "device_text"), rows_of(rows)};
}

ReadResults read_results(const std::filesystem::path& path) {
  const MappedFile file(path);
  try {
    return parse_results(file.text());
  } catch (Error& error) {
    error.at(path.string());
    throw;
  }
}

}  // namespace vox
