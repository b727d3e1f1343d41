#include "formats/results/json_text.h"

#include <map>

#include "libvox/base/json.h"

namespace vox {
namespace {

// One JSON object, including the nested objects that the columns' paths lead to.
class Record {
 public:
  explicit Record(Json& json) : json_(json) {}

  void set(const measure::ResultColumn& column, size_t row) {
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

void write_record(Json& json, const measure::ResultTable& table, size_t row, size_t first_column = 0) {
  Record record(json);
  for (size_t i = first_column; i < table.columns().size(); ++i) record.set(table.columns()[i], row);
}

void write(Json& json, const std::string& key, const measure::ResultGroup::Table& item) {
  const auto& [table, shape] = item;
  if (shape == measure::TableShape::Record) return write_record(json, table, 0);
  Json& rows = shape == measure::TableShape::ByName ? json.object(key) : json.array(key);
  for (size_t row = 0; row < table.rows(); ++row)
    if (shape == measure::TableShape::ByName)
      write_record(rows.object(table.columns()[0].text(row)), table, row, 1);
    else
      write_record(rows.append(), table, row);
}

void write(Json& json, const measure::ResultGroup& group);

void write(Json& json, const std::string& key, const measure::ResultGroup::Groups& item) {
  if (item.kind == measure::ResultGroup::Groups::Kind::One)
    return write(key == "." ? json : json.object(key), item.groups.front());
  Json& list = json.array(key);
  for (const measure::ResultGroup& group : item.groups) write(list.append(), group);
}

void write(Json& json, const std::string& key, const measure::ResultGroup::Value& value) {
  std::visit([&](const auto& plain) { Record::set(json, key, plain); }, value);
}

void write(Json& json, const measure::ResultGroup& group) {
  for (const measure::ResultGroup::Item& item : group.items())
    if (!item.name.json.empty())
      std::visit([&](const auto& content) { write(json, item.name.json, content); }, item.content);
}

}  // namespace

std::string json_text(const measure::ResultGroup& results) {
  Json json;
  write(json, results);
  return json.text();
}

}  // namespace vox
