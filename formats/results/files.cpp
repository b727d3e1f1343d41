#include "formats/results/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <span>
#include <variant>
#include <vector>

#include "formats/io/h5.h"
#include "formats/io/output_file.h"
#include "libvox/base/error.h"
#include "libvox/base/json.h"

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

std::string field(const ResultColumn::List&) {
  throw Error("a table of comma-separated values holds no lists");
}

std::string field(const ResultColumn& column, size_t row) {
  if (!column.has(row)) return "";
  return std::visit([&](const auto& values) { return field(values[row]); }, column.values);
}

}  // namespace

std::string csv_text(const ResultTable& table) {
  std::string text;
  const auto add_line = [&](const auto& field_of) {
    std::string line;
    for (const ResultColumn& column : table.columns())
      if (!column.name.report.empty()) line += field_of(column) + ",";
    if (line.empty()) return;
    line.pop_back();
    text += line + "\r\n";
  };
  add_line([](const ResultColumn& column) { return field(column.name.report); });
  if (!text.empty() && text[0] != '"') text = '"' + text.insert(text.find_first_of(",\r"), "\"");
  for (size_t row = 0; row < table.rows(); ++row)
    add_line([&](const ResultColumn& column) { return field(column, row); });
  return text;
}

bool is_csv_of_vox(std::string_view file) {
  const std::string_view names = file.substr(0, file.find('\n'));
  const size_t end = names.find('"', 1);
  const auto is_of_name = [](char c) {
    return std::islower(c) || std::isdigit(c) || c == '_' || c == '/' || c == ',';
  };
  return names.starts_with('"') && names.ends_with('\r') && end != std::string_view::npos &&
         std::ranges::all_of(names.substr(1, end - 1), is_of_name) &&
         std::ranges::all_of(names.substr(end + 1, names.size() - end - 2), is_of_name);
}

void write_csv(const ResultTable& table, const std::filesystem::path& path) {
  OutputFile file(path);
  file.write(csv_text(table));
  file.commit();
}

namespace {

// One JSON object, including the nested objects that the columns' paths lead to.
class Record {
 public:
  explicit Record(Json& json) : json_(json) {}

  void set(const ResultColumn& column, size_t row) {
    if (column.name.json.empty() || !column.has(row)) return;
    const size_t slash = column.name.json.rfind('/');
    Json& json = slash == std::string::npos ? json_ : at(column.name.json.substr(0, slash));
    const std::string key = column.name.json.substr(slash + 1);  // the whole name if it has no slash
    std::visit([&](const auto& values) { set(json, key, values[row]); }, column.values);
  }

  static void set(Json& json, const std::string& key, const auto& value) {
    if constexpr (requires { json.set(key, value); }) {
      json.set(key, value);
    } else {
      Json& list = json.array(key);
      for (const auto each : value) list.append(each);
    }
  }

 private:
  Json& at(const std::string& path) {
    if (const auto found = made_.find(path); found != made_.end()) return *found->second;
    const size_t slash = path.rfind('/');
    Json& parent = slash == std::string::npos ? json_ : at(path.substr(0, slash));
    return *made_.emplace(path, &parent.object(path.substr(slash + 1))).first->second;
  }

  Json& json_;
  std::map<std::string, Json*> made_;
};

void write_record(Json& json, const ResultTable& table, size_t row, size_t first_column = 0) {
  Record record(json);
  for (size_t i = first_column; i < table.columns().size(); ++i) record.set(table.columns()[i], row);
}

void write(Json& json, const std::string& key, const ResultGroup::Table& item) {
  const auto& [table, shape] = item;
  if (shape == TableShape::Record) return write_record(json, table, 0);
  Json& rows = shape == TableShape::ByName ? json.object(key) : json.array(key);
  for (size_t row = 0; row < table.rows(); ++row)
    if (shape == TableShape::ByName)
      write_record(rows.object(table.columns()[0].text(row)), table, row, 1);
    else
      write_record(rows.append(), table, row);
}

void write(Json& json, const ResultGroup& group);

void write(Json& json, const std::string& key, const ResultGroup::Groups& item) {
  if (item.kind == ResultGroup::Groups::Kind::One)
    return write(key == "." ? json : json.object(key), item.groups.front());
  Json& list = json.array(key);
  for (const ResultGroup& group : item.groups) write(list.append(), group);
}

void write(Json& json, const std::string& key, const ResultGroup::Value& value) {
  std::visit([&](const auto& plain) { Record::set(json, key, plain); }, value);
}

void write(Json& json, const ResultGroup& group) {
  for (const ResultGroup::Item& item : group.items())
    if (!item.name.json.empty())
      std::visit([&](const auto& content) { write(json, item.name.json, content); }, item.content);
}

}  // namespace

std::string json_text(const ResultGroup& results) {
  Json json;
  write(json, results);
  return json.text();
}

namespace {

constexpr uint32_t kVersion = 1;

struct WriteValue {
  const h5::Object& object;
  const std::string& name;
  void operator()(const std::string& text) const { h5::write_text(object, name, text); }
  void operator()(bool yes) const { h5::write_attribute(object, name, uint64_t{yes}); }
  void operator()(auto number) const { h5::write_attribute(object, name, number); }
  template <class T>
  void operator()(const std::vector<T>& numbers) const {
    h5::write_attribute(object, name, std::span<const T>(numbers));
  }
};

void write_value(const h5::Object& object, const std::string& name, const std::string& unit,
                 const auto& value) {
  WriteValue{object, name}(value);
  if (!unit.empty()) h5::write_text(object, name + "_unit", unit);
}

struct WriteColumn {
  const h5::Object& group;
  const std::string name;
  h5::Object operator()(const std::vector<std::string>& texts) const {
    return h5::write_texts(group, name, texts);
  }
  template <class T>
  h5::Object operator()(const std::vector<T>& numbers) const {
    return h5::write_table(group, name, std::span<const T>(numbers), {numbers.size()});
  }
  h5::Object operator()(const std::vector<ResultColumn::List>&) const {
    throw Error("a report holds no lists").at(group.where() + "/" + name);
  }
};

h5::Object group_at(const h5::Object& object, const std::string& name) {
  return h5::has_child(object, name) ? h5::open_group(object, name) : h5::create_group(object, name);
}

void write_column(const h5::Object& object, const ResultColumn& column, std::string_view path,
                  TableShape shape) {
  if (const size_t slash = path.find('/'); slash != std::string_view::npos)
    return write_column(group_at(object, std::string(path.substr(0, slash))), column, path.substr(slash + 1),
                        shape);
  const std::string name(path);
  std::visit(
      [&](const auto& values) {
        if (shape == TableShape::Record) return write_value(object, name, column.unit, values.front());
        const h5::Object dataset = WriteColumn{object, name}(values);
        if (!column.unit.empty()) h5::write_text(dataset, "unit", column.unit);
      },
      column.values);
}

void write(const h5::Object& object, const ResultGroup& group);

void write(const h5::Object& object, const ResultGroup::Item& item, const ResultGroup::Value& value) {
  std::visit([&](const auto& plain) { write_value(object, item.name.report, item.unit, plain); }, value);
}

void write_columns(const h5::Object& object, const ResultGroup::Table& table) {
  for (const ResultColumn& column : table.table.columns())
    if (!column.name.report.empty()) write_column(object, column, column.name.report, table.shape);
}

void write(const h5::Object& object, const ResultGroup::Item& item, const ResultGroup::Table& table) {
  if (table.shape == TableShape::Record || item.name.report == ".") return write_columns(object, table);
  write_columns(group_at(object, item.name.report), table);
}

void write(const h5::Object& object, const ResultGroup::Item& item, const ResultGroup::Groups& groups) {
  if (groups.kind == ResultGroup::Groups::Kind::List)
    throw Error("a report holds no lists").at(object.where() + "/" + item.name.report);
  if (item.name.report == ".") return write(object, groups.groups.front());
  write(group_at(object, item.name.report), groups.groups.front());
}

void write(const h5::Object& object, const ResultGroup& group) {
  for (const ResultGroup::Item& item : group.items())
    if (!item.name.report.empty())
      std::visit([&](const auto& content) { write(object, item, content); }, item.content);
}

constexpr const char* kReportFormat = "vox-report";

}  // namespace

bool is_report_of_vox(const std::filesystem::path& path) {
  return h5::is_file_of_format(path, kReportFormat);
}

void write_report(const ResultGroup& results, const std::filesystem::path& path) {
  h5::NewFile file(path);
  h5::write_text(file.root(), "format", kReportFormat);
  h5::write_attribute(file.root(), "version", kVersion);
  write(file.root(), results);
  file.commit();
}

}  // namespace vox
