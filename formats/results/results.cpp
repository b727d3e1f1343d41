#include "formats/results/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "formats/results/files.h"

namespace vox {

double ResultColumn::number(size_t row) const {
  if (const auto* counts = std::get_if<std::vector<uint64_t>>(&values))
    return static_cast<double>((*counts)[row]);
  if (const auto* numbers = std::get_if<std::vector<double>>(&values)) return (*numbers)[row];
  return 0;
}

std::vector<double> ResultColumn::numbers() const {
  std::vector<double> numbers(size());
  for (size_t row = 0; row < numbers.size(); ++row) numbers[row] = number(row);
  return numbers;
}

ResultTable& ResultTable::column(ResultName name, std::string unit, ResultColumn::Values values,
                                 Headings shown, std::string about) {
  columns_.push_back(
      {std::move(name), std::move(unit), std::move(values), std::move(shown), {}, std::move(about)});
  return *this;
}

const ResultColumn* ResultTable::find(std::string_view name) const {
  const auto found = std::ranges::find_if(columns_, [&](const ResultColumn& column) {
    return column.name.json == name || column.name.report == name || column.name.view == name;
  });
  return found == columns_.end() ? nullptr : &*found;
}

const ResultColumn& ResultTable::operator[](std::string_view name) const {
  const ResultColumn* const column = find(name);
  if (column == nullptr) throw std::out_of_range("there is no column " + std::string(name));
  return *column;
}

ResultGroup& ResultGroup::add(ResultName name, std::string unit, Value value, std::string about) {
  items_.push_back({std::move(name), std::move(unit), std::move(value), std::move(about)});
  return *this;
}

ResultGroup& ResultGroup::set(ResultName name, bool value, std::string about) {
  return add(std::move(name), "", value, std::move(about));
}

ResultGroup& ResultGroup::set(ResultName name, std::string_view value, std::string about) {
  return add(std::move(name), "", std::string(value), std::move(about));
}

ResultGroup& ResultGroup::set(ResultName name, double value, std::string unit, std::string about) {
  return add(std::move(name), std::move(unit), value, std::move(about));
}

ResultGroup& ResultGroup::set(ResultName name, std::vector<uint64_t> values, std::string unit,
                              std::string about) {
  return add(std::move(name), std::move(unit), std::move(values), std::move(about));
}

ResultGroup& ResultGroup::set(ResultName name, std::vector<double> values, std::string unit,
                              std::string about) {
  return add(std::move(name), std::move(unit), std::move(values), std::move(about));
}

ResultTable& ResultGroup::table(ResultName name, TableShape shape) {
  items_.push_back({std::move(name), "", Table{{}, shape}});
  return std::get<Table>(items_.back().content).table;
}

ResultGroup::Groups& ResultGroup::groups(ResultName name, Groups::Kind kind) {
  for (Item& item : items_)
    if (auto* groups = std::get_if<Groups>(&item.content);
        groups && groups->kind == kind && item.name.json == name.json && item.name.report == name.report)
      return *groups;
  items_.push_back({std::move(name), "", Groups{kind}});
  return std::get<Groups>(items_.back().content);
}

ResultGroup& ResultGroup::group(ResultName name) {
  std::list<ResultGroup>& made = groups(std::move(name), Groups::Kind::One).groups;
  return made.empty() ? made.emplace_back() : made.front();
}

ResultGroup& ResultGroup::append(ResultName name) {
  return groups(std::move(name), Groups::Kind::List).groups.emplace_back();
}

namespace {

// The place of a group in JSON and in a report. It is absent where the group is not written.
struct FieldPlace {
  std::optional<std::string> json, report;  // "rows[]." and "/hash"
};

// Returns the name as lists show it, with its word.
std::string listed(const std::string& name, const std::string& word) {
  if (word.empty() || name.empty()) return name;
  if (word == "N") return name.substr(0, name.find_last_not_of("0123456789") + 1) + word;
  return name.substr(0, name.rfind('/') + 1) + word;
}

ResultName listed(const ResultName& name) {
  return {listed(name.json, name.word), listed(name.report, name.word)};
}

// Returns the place of a group, a list or a table within another.
FieldPlace place_within(const FieldPlace& outer, const ResultName& written, std::string_view mark) {
  const ResultName name = listed(written);
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
    for (const ResultGroup& group : groups.groups) add(place_within(place, item.name, mark), group);
  }
  void add(const FieldPlace& place, const ResultGroup::Item& item, const ResultGroup::Table& table) {
    const std::vector<ResultColumn>& columns = table.table.columns();
    const bool is_record = table.shape == TableShape::Record, by_name = table.shape == TableShape::ByName;
    const auto here = [&](const std::string& name) { return is_record && !name.empty() ? "." : name; };
    const FieldPlace inner = place_within(place, {here(item.name.json), here(item.name.report)},
                                          by_name ? "." + item.name.word : "[]");
    for (const ResultColumn& column : columns) {
      const bool is_key = by_name && &column == columns.data();  // the key of an object in JSON
      add(is_key ? FieldPlace{std::nullopt, inner.report} : inner, column.name, is_record ? "@" : "/",
          column.unit, column.about);
    }
  }

  void add(const FieldPlace& place, const ResultName& written, const char* mark, const std::string& unit,
           const std::string& about) {
    const ResultName name = listed(written);
    ResultField field = {"", "", unit, about};
    if (place.json && !name.json.empty()) {
      field.json = *place.json + name.json;
      std::ranges::replace(field.json, '/', '.');
    }
    if (place.report && !name.report.empty())
      field.report = fmt::format("{}{}{}", place.report->empty() && *mark == '@' ? "/" : *place.report, mark,
                                 name.report);
    const bool is_new = std::ranges::none_of(fields, [&](const ResultField& other) {
      return other.json == field.json && other.report == field.report;
    });
    if (is_new && (!field.json.empty() || !field.report.empty())) fields.push_back(std::move(field));
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

namespace {

// The place at which the fields of a part stand in a section.
struct PartPlace {
  const ResultSection* part;
  size_t fields;                            // how many of the section's fields are the part's
  std::optional<std::string> json, report;  // what stands before their names
};

// Returns true if the name ends as that of the part does; what stands before it is then the same for all names.
bool begins_alike(const std::string& name, const std::string& in_part, std::optional<std::string>& before) {
  if (name.empty() || in_part.empty()) return name.empty() && in_part.empty();
  if (!name.ends_with(in_part)) return false;
  const std::string here = name.substr(0, name.size() - in_part.size());
  if (!before) before = here;
  return *before == here;
}

// Returns the fields of the part as JSON alone has them, or reports.
std::vector<ResultField> on_side(const ResultSection& part, std::string ResultField::*other) {
  std::vector<ResultField> fields = part.fields;
  for (ResultField& field : fields) field.*other = "";
  std::erase_if(fields, [](const ResultField& field) { return field.json.empty() && field.report.empty(); });
  return fields;
}

std::optional<PartPlace> place_at(std::span<const ResultField> fields, const ResultSection& part,
                                  const std::vector<ResultField>& wanted) {
  PartPlace place = {&part, wanted.size(), {}, {}};
  if (wanted.size() < 2 || wanted.size() > fields.size()) return std::nullopt;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!begins_alike(fields[i].json, wanted[i].json, place.json) ||
        !begins_alike(fields[i].report, wanted[i].report, place.report) || fields[i].unit != wanted[i].unit ||
        fields[i].about != wanted[i].about)
      return std::nullopt;
  return place;
}

// Returns the largest part with which the fields begin.
std::optional<PartPlace> part_at(std::span<const ResultField> fields, const ResultSection& section,
                                 const std::vector<ResultSection>& parts) {
  std::optional<PartPlace> best;
  for (const ResultSection& part : parts) {
    if (part.title == section.title) continue;
    for (const std::vector<ResultField>& wanted :
         {part.fields, on_side(part, &ResultField::report), on_side(part, &ResultField::json)})
      if (const auto place = place_at(fields, part, wanted); place && (!best || place->fields > best->fields))
        best = place;
  }
  return best;
}

std::string link_text(const std::optional<std::string>& before, const ResultSection& part) {
  if (!before) return "";
  std::string anchor = part.title;
  std::ranges::replace(anchor, ' ', '-');
  return fmt::format("{}[{}](#{}) ", code(*before), part.title, anchor);
}

std::string section_text(const ResultSection& section, const std::vector<ResultSection>& parts) {
  std::string text = fmt::format("\n### {}\n\n{}| key | path | unit | meaning |\n|---|---|---|---|\n",
                                 section.title, section.text.empty() ? "" : section.text + "\n\n");
  for (std::span<const ResultField> rest = section.fields; !rest.empty();) {
    const std::optional<PartPlace> place = part_at(rest, section, parts);
    const auto& [json, report, unit, about] = rest.front();
    if (place)
      text += fmt::format("| {}| {}| | |\n", link_text(place->json, *place->part),
                          link_text(place->report, *place->part));
    else
      text += fmt::format("| {}| {}| {}| {}|\n", code(json), code(report), plain(unit), plain(about));
    rest = rest.subspan(place ? place->fields : 1);
  }
  return text;
}

}  // namespace

std::string sections_text(const std::vector<ResultSection>& sections,
                          const std::vector<ResultSection>& parts) {
  // A part's names stand after others, so that attributes begin with @.
  std::vector<ResultSection> within = parts;
  for (ResultSection& part : within)
    for (ResultField& field : part.fields)
      if (field.report.starts_with("/@")) field.report.erase(0, 1);
  std::string text;
  for (const ResultSection& section : sections) text += section_text(section, within);
  for (const ResultSection& part : within) text += section_text(part, within);
  return text;
}

}  // namespace vox
