// Figures of rows that a benchmark has measured: a chart with a line for each series, and its numbers as a table.
#pragma once

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/pages/html_page.h"

namespace vox {

template <class Row>
using RowPointers = std::vector<const Row*>;
template <class Row>
using TextOfRow = std::function<std::string(const Row&)>;

// The axis that a figure has from left to right.
template <class Row>
struct FigureAxis {
  std::string title;
  ChartScale scale;
  std::function<double(const Row&)> value;
  std::function<std::string(double)> text;
  TextOfRow<Row> panel;  // the other axis: there is a figure for each text, which ends its title
};

// The quantity of a row that a figure shows.
template <class Row>
struct FigureQuantity {
  std::string unit, caption;
  std::function<LineChart::Point(const Row&)> point;  // without x
  std::function<HtmlCell(const Row&)> cell;
};

// A point without a spread.
inline LineChart::Point exact_point(double value) {
  return {0, value, value, value};
}

// The different texts of rows, in their order.
template <class Row>
std::vector<std::string> texts_of(const RowPointers<Row>& rows,
                                  const std::type_identity_t<TextOfRow<Row>>& text) {
  std::vector<std::string> texts;
  for (const Row* row : rows)
    if (std::ranges::find(texts, text(*row)) == texts.end()) texts.push_back(text(*row));
  return texts;
}

template <class Row>
RowPointers<Row> rows_with(const RowPointers<Row>& rows, const std::type_identity_t<TextOfRow<Row>>& text,
                           const std::string& wanted) {
  RowPointers<Row> some;
  std::ranges::copy_if(rows, std::back_inserter(some), [&](const Row* row) { return text(*row) == wanted; });
  return some;
}

// Adds a figure with a line for each text of `series`.
template <class Row>
void add_line_figure(HtmlPage& page, const std::string& title, const RowPointers<Row>& rows,
                     const FigureAxis<Row>& axis, const std::type_identity_t<TextOfRow<Row>>& series,
                     const FigureQuantity<Row>& quantity) {
  LineChart chart = {.title = title,
                     .description = quantity.caption,
                     .x_title = axis.title,
                     .y_title = quantity.unit,
                     .x_scale = axis.scale};
  std::vector<HtmlTable::Column> columns = {{axis.title, "", HtmlTable::Kind::Words}};
  std::set<double> values;
  for (const Row* row : rows) values.insert(axis.value(*row));
  std::vector<std::vector<HtmlCell>> cells;
  for (const double value : values) cells.push_back({HtmlCell(axis.text(value))});
  for (const std::string& name : texts_of(rows, series)) {
    columns.push_back({name, quantity.unit});
    LineChart::Series& line = chart.series.emplace_back(LineChart::Series{name, {}});
    const RowPointers<Row> of_series = rows_with(rows, series, name);
    size_t i = 0;
    for (const double value : values) {
      const auto found =
          std::ranges::find_if(of_series, [&](const Row* row) { return axis.value(*row) == value; });
      HtmlCell& cell = cells[i++].emplace_back();
      if (found == of_series.end()) continue;
      cell = quantity.cell(**found);
      line.points.push_back(quantity.point(**found));
      line.points.back().x = value;
    }
  }
  HtmlTable table(std::move(columns));
  for (std::vector<HtmlCell>& row : cells) table.row(std::move(row));
  page.figure(title, quantity.caption, draw(chart), table);
}

}  // namespace vox
