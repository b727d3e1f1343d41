#include "formats/results/compare.h"

#include <fmt/format.h>

#include <algorithm>

namespace vox {
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
