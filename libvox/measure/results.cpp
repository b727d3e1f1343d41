#include "libvox/measure/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace vox::measure {

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
                                 Headings shown) {
  columns_.push_back({std::move(name), std::move(unit), std::move(values), std::move(shown)});
  return *this;
}

const ResultColumn& ResultTable::operator[](std::string_view name) const {
  const auto found = std::ranges::find_if(columns_, [&](const ResultColumn& column) {
    return column.name.json == name || column.name.report == name;
  });
  if (found == columns_.end()) throw std::out_of_range("there is no column " + std::string(name));
  return *found;
}

ResultGroup& ResultGroup::add(ResultName name, std::string unit, Value value) {
  items_.push_back({std::move(name), std::move(unit), std::move(value)});
  return *this;
}

ResultGroup& ResultGroup::set(ResultName name, bool value) {
  return add(std::move(name), "", value);
}

ResultGroup& ResultGroup::set(ResultName name, std::string_view value) {
  return add(std::move(name), "", std::string(value));
}

ResultGroup& ResultGroup::set(ResultName name, double value, std::string unit) {
  return add(std::move(name), std::move(unit), value);
}

ResultGroup& ResultGroup::set(ResultName name, std::vector<uint64_t> values, std::string unit) {
  return add(std::move(name), std::move(unit), std::move(values));
}

ResultGroup& ResultGroup::set(ResultName name, std::vector<double> values, std::string unit) {
  return add(std::move(name), std::move(unit), std::move(values));
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

std::string joined(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& cell : cells)
    if (!cell.empty()) text += (text.empty() ? "" : ", ") + cell;
  return text;
}

std::optional<Timing> time_of(const ResultTable& table, size_t row) {
  const auto value = [&](const char* name) -> std::optional<double> {
    const ResultColumn* const column = column_of(table, name);
    if (column == nullptr || !column->has(row)) return std::nullopt;
    return column->number(row);
  };
  const std::optional<double> median = value("ms");
  if (!median) return std::nullopt;
  return Timing{*median, value("ms_min").value_or(*median), value("ms_max").value_or(*median)};
}

Change change_of(const Timing& before, const Timing& now) {
  if (now.min > before.max && now.median > before.median * (1 + kLeastChange)) return Change::Slower;
  if (now.max < before.min && now.median < before.median * (1 - kLeastChange)) return Change::Faster;
  return Change::None;
}

// Returns the first row that has these values of the axes and a time.
std::optional<size_t> row_with(const ResultTable& table, const std::vector<std::string>& axes,
                               const std::vector<std::string>& cells) {
  for (size_t row = 0; row < table.rows(); ++row)
    if (cells_of(table, axes, row) == cells && time_of(table, row)) return row;
  return std::nullopt;
}

std::string other_work(const ResultTable& now, size_t row, const ResultTable& before, size_t row_before,
                       const std::vector<std::string>& work) {
  std::vector<std::string> differences;
  for (const std::string& name : work) {
    const std::string cell = cell_text(now, name, row), cell_before = cell_text(before, name, row_before);
    if (cell != cell_before)
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
    const std::optional<Timing> time = time_of(now, row);
    if (!time) continue;
    const std::vector<std::string> cells = cells_of(now, columns.axes, row);
    AgainstRow& compared = rows.emplace_back(AgainstRow{.row = joined(cells), .now = time});
    const std::optional<size_t> found = row_with(before, columns.axes, cells);
    if (!found) {
      compared.change = Change::Added;
      continue;
    }
    seen[*found] = true;
    compared.before = time_of(before, *found);
    compared.other_work = other_work(now, row, before, *found, columns.work);
    compared.change =
        compared.other_work.empty() ? change_of(*compared.before, *compared.now) : Change::OtherWork;
  }
  for (size_t row = 0; row < before.rows(); ++row)
    if (const std::optional<Timing> time = time_of(before, row); time && !seen[row])
      rows.push_back(
          {.row = joined(cells_of(before, columns.axes, row)), .before = time, .change = Change::Gone});
  return rows;
}

uint64_t count_of(const std::vector<AgainstRow>& rows, Change change) {
  return static_cast<uint64_t>(std::ranges::count(rows, change, &AgainstRow::change));
}

}  // namespace vox::measure
