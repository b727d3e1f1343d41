#include "formats/results/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace vox {
namespace {

// The place of a group in JSON and in a report. It is absent where the group is not written.
struct FieldPlace {
  std::optional<std::string> json, report;  // "rows[]." and "/hash"
};

// Returns the place of a group, a list or a table within another.
FieldPlace place_within(const FieldPlace& outer, const ResultName& name, std::string_view mark) {
  FieldPlace place;
  if (outer.json && !name.json.empty())
    place.json = name.json == "." ? *outer.json : fmt::format("{}{}{}.", *outer.json, name.json, mark);
  if (outer.report && !name.report.empty())
    place.report = name.report == "." ? *outer.report : fmt::format("{}/{}", *outer.report, name.report);
  return place;
}

class FieldList {
 public:
  void add(const FieldPlace& place, const ResultGroup& group) {
    for (const ResultGroup::Item& item : group.items())
      std::visit([&](const auto& content) { add(place, item, content); }, item.content);
  }
  std::vector<ResultField> fields;

 private:
  void add(const FieldPlace& place, const ResultGroup::Item& item, const ResultGroup::Value&) {
    add(place, item.name, "@", item.unit, item.about);
  }
  void add(const FieldPlace& place, const ResultGroup::Item& item, const ResultGroup::Groups& groups) {
    const char* mark = groups.kind == ResultGroup::Groups::Kind::List ? "[]" : "";
    if (!groups.groups.empty()) add(place_within(place, item.name, mark), groups.groups.front());
  }
  void add(const FieldPlace& place, const ResultGroup::Item& item, const ResultGroup::Table& table) {
    const bool is_record = table.shape == TableShape::Record;
    const char* mark = table.shape == TableShape::ByName ? ".NAME" : "[]";
    const FieldPlace inner = is_record ? place : place_within(place, item.name, mark);
    for (const ResultColumn& column : table.table.columns())
      add(inner, column.name, is_record ? "@" : "/", column.unit, column.about);
  }

  void add(const FieldPlace& place, const ResultName& name, const char* mark, const std::string& unit,
           const std::string& about) {
    ResultField field = {"", "", unit, about};
    if (place.json && !name.json.empty()) {
      field.json = *place.json + name.json;
      std::ranges::replace(field.json, '/', '.');
    }
    if (place.report && !name.report.empty())
      field.report = fmt::format("{}{}{}", place.report->empty() && *mark == '@' ? "/" : *place.report, mark,
                                 name.report);
    if (!field.json.empty() || !field.report.empty()) fields.push_back(std::move(field));
  }
};

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + text + "` ";
}

std::string plain(const std::string& text) {
  return text.empty() ? "" : text + " ";
}

}  // namespace

std::vector<ResultField> fields_of(const ResultGroup& results) {
  FieldList list;
  list.add({"", ""}, results);
  return std::move(list.fields);
}

std::string fields_text(const std::vector<ResultField>& fields) {
  std::string text = "| key | path | unit | meaning |\n|---|---|---|---|\n";
  for (const auto& [json, report, unit, about] : fields)
    text += fmt::format("| {}| {}| {}| {}|\n", code(json), code(report), plain(unit), plain(about));
  return text;
}

}  // namespace vox
