#include "formats/results/results.h"

#include <algorithm>
#include <stdexcept>

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

}  // namespace vox
