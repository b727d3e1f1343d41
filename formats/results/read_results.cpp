// Reads the results of an earlier run of a benchmark, from JSON or from a report.
#include <fmt/format.h>
#include <hdf5.h>
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "formats/io/h5.h"
#include "formats/io/read_file.h"
#include "formats/results/files.h"
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
void add_column(ResultTable& table, const JsonColumn& column) {
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

ResultTable rows_of(const json::array& list) {
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
  ResultTable table;
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

ReadResults parse_results(std::string_view text, const std::string& part) {
  json::parser parser;
  json::object root;
  json::array rows;
  if (const auto problem = parser.parse(text.data(), text.size()).get(root); problem != simdjson::SUCCESS)
    throw Error(fmt::format("no JSON object: {}", simdjson::error_message(problem)));
  if (!part.empty() && json::object(root).at_key(part).get(root) != simdjson::SUCCESS)
    throw Error(fmt::format("has no results of {}", part));
  if (root.at_key("rows").get(rows) != simdjson::SUCCESS)
    throw Error("has no rows, expected the results of a benchmark");
  return {text_of(root, "device"), text_of(root, "device_text"), rows_of(rows), "", {}, {}};
}

namespace {

constexpr hsize_t kMostColumns = 1000;

// Returns the names of a group's children, in the order of the names.
std::vector<std::string> child_names(const h5::Object& group) {
  H5G_info_t info = {};
  h5::check(H5Gget_info(group.id, &info), group.where(), "cannot be read");
  std::vector<std::string> names(std::min<hsize_t>(info.nlinks, kMostColumns));
  for (size_t i = 0; i < names.size(); ++i) {
    const auto name = [&](char* text, size_t size) {
      return h5::check(
          H5Lget_name_by_idx(group.id, ".", H5_INDEX_NAME, H5_ITER_INC, i, text, size, H5P_DEFAULT),
          group.where(), "cannot be read");
    };
    names[i].resize(static_cast<size_t>(name(nullptr, 0)) + 1);  // with the zero at the end
    name(names[i].data(), names[i].size());
    names[i].pop_back();
  }
  return names;
}

bool is_group(const h5::Object& parent, const std::string& name) {
  const h5::Handle object(
      h5::check(H5Oopen(parent.id, name.c_str(), H5P_DEFAULT), parent.where(), "cannot be read"), H5Oclose);
  return H5Iget_type(object) == H5I_GROUP;
}

ResultColumn::Values values_of(const h5::Object& group, const std::string& name) {
  const h5::Object dataset = h5::open_dataset(group, name);
  h5::check_storage(dataset);
  const h5::Handle type(h5::check(H5Dget_type(dataset.id), dataset.where(), "cannot be read"), H5Tclose);
  switch (H5Tget_class(type)) {
    case H5T_STRING:
      return h5::read_texts(group, name);
    case H5T_FLOAT:
      return h5::read_table<double>(group, name, {h5::kAnyLength});
    default:
      return h5::read_table<uint64_t>(group, name, {h5::kAnyLength});
  }
}

// Adds the columns in a group and in the groups in it, whose names begin with those of the groups.
void add_columns(ResultTable& table, const h5::Object& group, const std::string& path) {
  constexpr auto kDeepest = 4;  // slashes: a broken file may have a group within itself
  for (const std::string& name : child_names(group)) {
    if (!is_group(group, name)) {
      table.column(path + name, "", values_of(group, name));
      if (table.columns().back().size() != table.rows())
        throw Error("has another number of rows than the columns before").at(group.where() + "/" + name);
    } else if (std::ranges::count(path, '/') < kDeepest) {
      add_columns(table, h5::open_group(group, name), path + name + "/");
    }
  }
}

std::map<std::string, std::string> texts_of(const h5::Object& group) {
  std::map<std::string, std::string> texts;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* names) -> herr_t {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
  };
  std::vector<std::string> names;
  h5::check(H5Aiterate2(group.id, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), group.where(),
            "cannot be read");
  for (const std::string& name : names) texts[name] = h5::read_text(group, name);
  return texts;
}

std::map<std::string, std::string> digests_of(const h5::Object& inputs) {
  std::map<std::string, std::string> digests;
  const std::vector<std::string> files = h5::read_texts(inputs, "file"),
                                 each = h5::read_texts(inputs, "digest");
  for (size_t i = 0; i < std::min(files.size(), each.size()); ++i) digests[files[i]] = each[i];
  return digests;
}

ReadResults read_report(const std::filesystem::path& path, const std::string& part) {
  const h5::Quiet quiet;
  const h5::Object root = h5::open_file(path);
  h5::Object of_part;
  if (!part.empty()) of_part = h5::open_group(root, part);
  const h5::Object& file = part.empty() ? root : of_part;
  const auto text = [&](const char* name) {
    return h5::has_attribute(file, name) ? h5::read_text(file, name) : "";
  };
  ReadResults results = {text("device"), text("device_text"), {}, text("command"), {}, {}};
  if (h5::has_child(file, "machine")) results.machine = texts_of(h5::open_group(file, "machine"));
  if (h5::has_child(file, "inputs")) results.inputs = digests_of(h5::open_group(file, "inputs"));
  for (const std::string& name : child_names(file)) {
    if (!is_group(file, name) || name == "against") continue;
    const h5::Object group = h5::open_group(file, name);
    if (!h5::has_child(group, "rows") || !is_group(group, "rows")) continue;
    add_columns(results.rows, h5::open_group(group, "rows"), "");
    return results;
  }
  throw Error("has no rows, expected the report of a benchmark").at(path.string());
}

}  // namespace

ReadResults read_results(const std::filesystem::path& path, const std::string& part) {
  if (is_report_of_vox(path)) return read_report(path, part);
  const MappedFile file(path);
  try {
    return parse_results(file.text(), part);
  } catch (Error& error) {
    error.at(path.string());
    throw;
  }
}

namespace {

const ResultColumn* column_of(const ResultTable& table, const std::string& name) {
  const auto found = std::ranges::find_if(
      table.columns(), [&](const ResultColumn& column) { return column.name.json == name; });
  return found == table.columns().end() ? nullptr : &*found;
}

// Returns a cell as text, "" if it has no value. Files hold all digits of a number, so equal texts are equal
// numbers, even if a column had whole numbers in only one of the runs.
std::string cell_text(const ResultTable& table, const std::string& name, size_t row) {
  const ResultColumn* const column = column_of(table, name);
  if (column == nullptr || !column->has(row)) return "";
  if (std::holds_alternative<std::vector<std::string>>(column->values)) return column->text(row);
  if (const auto* counts = std::get_if<std::vector<uint64_t>>(&column->values))
    return fmt::format("{}", (*counts)[row]);
  return fmt::format("{}", column->number(row));
}

std::vector<std::string> cells_of(const ResultTable& table, const std::vector<std::string>& names,
                                  size_t row) {
  std::vector<std::string> cells;
  for (const std::string& name : names) cells.push_back(cell_text(table, name, row));
  return cells;
}

// True if two cells are equal. A report has 0 for a number that is absent elsewhere.
bool same_cell(const std::string& a, const std::string& b) {
  const auto is_none = [](const std::string& cell) { return cell.empty() || cell == "0"; };
  return a == b || (is_none(a) && is_none(b));
}

std::string joined(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& cell : cells)
    if (!cell.empty()) text += (text.empty() ? "" : ", ") + cell;
  return text;
}

std::optional<measure::Timing> time_of(const ResultTable& table, size_t row) {
  const auto value = [&](const char* name) -> std::optional<double> {
    const ResultColumn* const column = column_of(table, name);
    if (column == nullptr || !column->has(row) || column->number(row) == 0) return std::nullopt;
    return column->number(row);
  };
  const std::optional<double> median = value("ms");
  if (!median) return std::nullopt;
  return measure::Timing{*median, value("ms_min").value_or(*median), value("ms_max").value_or(*median)};
}

RowChange change_of(const measure::Timing& before, const measure::Timing& now) {
  if (now.min > before.max && now.median > before.median * (1 + kLeastChange)) return RowChange::Slower;
  if (now.max < before.min && now.median < before.median * (1 - kLeastChange)) return RowChange::Faster;
  return RowChange::None;
}

// Returns the first row that has these values of the axes and a time.
std::optional<size_t> row_with(const ResultTable& table, const std::vector<std::string>& axes,
                               const std::vector<std::string>& cells) {
  for (size_t row = 0; row < table.rows(); ++row)
    if (std::ranges::equal(cells_of(table, axes, row), cells, same_cell) && time_of(table, row)) return row;
  return std::nullopt;
}

std::string other_work(const ResultTable& now, size_t row, const ResultTable& before, size_t row_before,
                       const std::vector<std::string>& work) {
  std::vector<std::string> differences;
  for (const std::string& name : work) {
    const std::string cell = cell_text(now, name, row), cell_before = cell_text(before, name, row_before);
    if (!same_cell(cell, cell_before))
      differences.push_back(fmt::format("{} {}, was {}", name, cell.empty() ? "unknown" : cell,
                                        cell_before.empty() ? "unknown" : cell_before));
  }
  return joined(differences);
}

}  // namespace

std::optional<double> AgainstRow::ratio() const {
  if (!before || !now || before->median <= 0) return std::nullopt;
  return now->median / before->median;
}

std::vector<AgainstRow> compare_results(const ResultTable& now, const ResultTable& before,
                                        const ComparedColumns& columns) {
  std::vector<AgainstRow> rows;
  std::vector<bool> seen(before.rows());
  for (size_t row = 0; row < now.rows(); ++row) {
    const std::optional<measure::Timing> time = time_of(now, row);
    if (!time) continue;
    const std::vector<std::string> cells = cells_of(now, columns.axes, row);
    AgainstRow& compared = rows.emplace_back(AgainstRow{.row = joined(cells), .now = time});
    const std::optional<size_t> found = row_with(before, columns.axes, cells);
    if (!found) {
      compared.change = RowChange::Added;
      continue;
    }
    seen[*found] = true;
    compared.before = time_of(before, *found);
    compared.other_work = other_work(now, row, before, *found, columns.work);
    compared.change =
        compared.other_work.empty() ? change_of(*compared.before, *compared.now) : RowChange::OtherWork;
  }
  for (size_t row = 0; row < before.rows(); ++row)
    if (const std::optional<measure::Timing> time = time_of(before, row); time && !seen[row])
      rows.push_back(
          {.row = joined(cells_of(before, columns.axes, row)), .before = time, .change = RowChange::Gone});
  return rows;
}

uint64_t count_of(const std::vector<AgainstRow>& rows, RowChange change) {
  return static_cast<uint64_t>(std::ranges::count(rows, change, &AgainstRow::change));
}

}  // namespace vox
