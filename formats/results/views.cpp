#include "formats/results/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace vox {

bool ResultRow::has(std::string_view column) const {
  const ResultColumn* const found = table_->find(column);
  return found != nullptr && found->has(index_);
}

std::string ResultRow::text(std::string_view column, const Look& look) const {
  return has(column) ? shown_text((*table_)[column], index_, look) : "";
}

HtmlCell ResultRow::cell(std::string_view column, const Look& look) const {
  return has(column) ? page_cell((*table_)[column], index_, look) : HtmlCell();
}

ResultRows rows_of(const ResultTable& table) {
  ResultRows rows;
  for (size_t row = 0; row < table.rows(); ++row) rows.emplace_back(table, row);
  return rows;
}

ResultRows rows_with(const ResultRows& rows, const TextOfRow& text, std::string_view wanted) {
  ResultRows some;
  std::ranges::copy_if(rows, std::back_inserter(some),
                       [&](const ResultRow& row) { return text(row) == wanted; });
  return some;
}

ResultRows rows_with_value(const ResultRows& rows, std::string_view column) {
  ResultRows some;
  std::ranges::copy_if(rows, std::back_inserter(some), [&](const ResultRow& row) { return row.has(column); });
  return some;
}

std::vector<std::string> texts_of(const ResultRows& rows, const TextOfRow& text) {
  std::vector<std::string> texts;
  for (const ResultRow& row : rows)
    if (std::string here = text(row); std::ranges::find(texts, here) == texts.end())
      texts.push_back(std::move(here));
  return texts;
}

std::vector<ResultRows> runs_of(const ResultRows& rows, const TextOfRow& text) {
  std::vector<ResultRows> runs;
  for (const ResultRow& row : rows) {
    if (runs.empty() || text(runs.back().back()) != text(row)) runs.emplace_back();
    runs.back().push_back(row);
  }
  return runs;
}

TextOfRow text_in(std::string column) {
  return [column = std::move(column)](const ResultRow& row) { return row.text(column); };
}

CellOfRow cell_in(std::string column, const Look& look) {
  return [column = std::move(column), look](const ResultRow& row) { return row.cell(column, look); };
}

namespace {

// The parts of a line by their headings.
using LineCells = std::map<std::string, std::string>;

LineCells cells_of(const ResultRows& line, const LineView& view) {
  LineCells cells;
  for (const ResultRow& row : line)
    for (LinePart& part : view.parts(row)) cells.emplace(std::move(part.heading), std::move(part.text));
  return cells;
}

std::vector<std::string> headings_of(const ResultRows& rows, const LineView& view) {
  std::vector<std::pair<uint32_t, std::string>> headings;
  for (const ResultRow& row : rows)
    for (const LinePart& part : view.parts(row))
      if (std::pair heading(part.place, part.heading); std::ranges::find(headings, heading) == headings.end())
        headings.push_back(std::move(heading));
  std::ranges::stable_sort(headings, {}, &std::pair<uint32_t, std::string>::first);
  std::vector<std::string> texts;
  for (auto& [place, heading] : headings) texts.push_back(std::move(heading));
  return texts;
}

}  // namespace

TextTable line_table(const ResultRows& rows, const LineView& view) {
  const std::vector<std::string> headings = headings_of(rows, view);
  TextTable table(headings);
  std::optional<ResultRow> before;
  for (const ResultRows& line : runs_of(rows, view.line)) {
    if (before && view.gap && view.gap(*before, line.front())) table.row({});
    before = line.front();
    const LineCells cells = cells_of(line, view);
    std::vector<std::string> texts;
    for (const std::string& heading : headings) {
      const auto found = cells.find(heading);
      texts.push_back(found == cells.end() ? view.missing : found->second);
    }
    table.row(std::move(texts));
  }
  return table;
}

HtmlTable page_table(const ResultRows& rows, const std::vector<PageColumn>& columns) {
  std::vector<HtmlTable::Column> heads;
  for (const PageColumn& column : columns) heads.push_back(column.head);
  HtmlTable table(std::move(heads));
  for (const ResultRow& row : rows) {
    std::vector<HtmlCell> cells;
    for (const PageColumn& column : columns) cells.push_back(column.cell(row));
    table.row(std::move(cells));
  }
  return table;
}

void add_bars(BarChart& chart, const ResultRows& rows, const TextOfRow& label,
              const std::vector<std::string>& columns, double factor, const TextOfRow& note) {
  for (const ResultRow& row : rows) {
    chart.rows.push_back(label(row));
    if (note) chart.notes.push_back(note(row));
    for (size_t i = 0; i < columns.size(); ++i)
      chart.series[i].values.push_back(row.number(columns[i]) * factor);
  }
}

namespace {

LineChart::Point point_of(const ResultRow& row, const FigureAxis& axis, const FigureQuantity& quantity) {
  const double factor = page_factor(quantity.look), value = row.number(quantity.column);
  const auto [low, high] = quantity.range ? quantity.range(row) : std::array{value, value};
  return {row.number(axis.column), value * factor, low * factor, high * factor};
}

HtmlCell figure_cell(const ResultRow& row, const FigureQuantity& quantity) {
  HtmlCell cell = row.cell(quantity.column, quantity.look);
  if (quantity.range) {
    const auto [low, high] = quantity.range(row);
    cell.note = fmt::format("{} to {}", shown_text(low, quantity.look), shown_text(high, quantity.look));
  } else if (quantity.note) {
    cell.note = quantity.note(row);
  }
  return cell;
}

// The rows of a figure in the order of the axis, and the text of each of its values.
std::map<double, std::string> values_of(const ResultRows& rows, const FigureAxis& axis) {
  std::map<double, std::string> values;
  for (const ResultRow& row : rows) values.emplace(row.number(axis.column), row.text(axis.column, axis.look));
  return values;
}

}  // namespace

void add_line_figure(HtmlPage& page, const std::string& title, const ResultRows& rows, const FigureAxis& axis,
                     const TextOfRow& series, const FigureQuantity& quantity) {
  LineChart chart = {.title = title,
                     .description = quantity.caption,
                     .x_title = axis.title,
                     .y_title = quantity.unit,
                     .x_scale = axis.scale};
  std::vector<HtmlTable::Column> columns = {{axis.title, "", HtmlTable::Kind::Words}};
  const std::map<double, std::string> values = values_of(rows, axis);
  std::vector<std::vector<HtmlCell>> cells;
  for (const auto& [value, text] : values) cells.push_back({HtmlCell(text)});
  for (const std::string& name : texts_of(rows, series)) {
    columns.push_back({name, quantity.unit});
    LineChart::Series& line = chart.series.emplace_back(LineChart::Series{name, {}});
    const ResultRows of_series = rows_with(rows, series, name);
    size_t i = 0;
    for (const auto& [value, text] : values) {
      const auto found = std::ranges::find_if(
          of_series, [&, value = value](const ResultRow& row) { return row.number(axis.column) == value; });
      HtmlCell& cell = cells[i++].emplace_back();
      if (found == of_series.end()) continue;
      cell = figure_cell(*found, quantity);
      line.points.push_back(point_of(*found, axis, quantity));
    }
  }
  HtmlTable table(std::move(columns));
  for (std::vector<HtmlCell>& row : cells) table.row(std::move(row));
  page.figure(title, quantity.caption, draw(chart), table);
}

}  // namespace vox
