// Views of a table of results for people. A view names columns of the table and says how they are arranged: as lines of a
// screen, as a table of a page, or as a chart with its numbers.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/pages/html_page.h"
#include "formats/results/results.h"
#include "formats/results/tables.h"

namespace vox {

// A row of a table, which must outlive it. Columns are named as in JSON.
class ResultRow {
 public:
  ResultRow(const ResultTable& table, size_t index) : table_(&table), index_(index) {}
  size_t index() const { return index_; }

  // True if the table has the column, and the row a value in it.
  bool has(std::string_view column) const;
  double number(std::string_view column) const { return (*table_)[column].number(index_); }
  const std::string& word(std::string_view column) const { return (*table_)[column].text(index_); }
  // The value as people read it, "" if there is none.
  std::string text(std::string_view column, const Look& look = {}) const;
  // The value as a page shows it, with the exact number; empty if there is none.
  HtmlCell cell(std::string_view column, const Look& look) const;

 private:
  const ResultTable* table_;
  size_t index_;
};

using ResultRows = std::vector<ResultRow>;
using TextOfRow = std::function<std::string(const ResultRow&)>;
using CellOfRow = std::function<HtmlCell(const ResultRow&)>;

ResultRows rows_of(const ResultTable& table);
// Returns the rows that the function has this text for.
ResultRows rows_with(const ResultRows& rows, const TextOfRow& text, std::string_view wanted);
// Returns the rows that have a value in this column.
ResultRows rows_with_value(const ResultRows& rows, std::string_view column);
// Returns the different texts of the rows, in their order.
std::vector<std::string> texts_of(const ResultRows& rows, const TextOfRow& text);
// Cuts the rows where the text changes from one row to the next.
std::vector<ResultRows> runs_of(const ResultRows& rows, const TextOfRow& text);
// Return functions for the texts of a column, and for its values as a page shows them.
TextOfRow text_in(std::string column);
CellOfRow cell_in(std::string column, const Look& look = {});

// A part of a line on a screen. Parts that have one heading stand below each other.
struct LinePart {
  uint32_t place;  // columns stand in the order of their places, then in that in which they come first
  std::string heading, text;
};

struct LineView {
  TextOfRow line;  // rows that follow each other and share this text form one line
  // The parts that a row adds to its line. The first row of a line that has a part states it.
  std::function<std::vector<LinePart>(const ResultRow&)> parts;
  std::string missing = {};  // the text of a part that no row of a line has
  // True if there is a gap between two lines, of which these are the first rows. Without the function there is none.
  std::function<bool(const ResultRow&, const ResultRow&)> gap = nullptr;
};
// Returns the rows as a table for a screen.
TextTable line_table(const ResultRows& rows, const LineView& view);

// Returns the rows as a table of a page.
struct PageColumn {
  HtmlTable::Column head;
  CellOfRow cell;
};
HtmlTable page_table(const ResultRows& rows, const std::vector<PageColumn>& columns);

// Adds a bar for each row, with a part for each of the chart's series, whose values are in `columns` (in this order). The
// notes stand beside the bars.
void add_bars(BarChart& chart, const ResultRows& rows, const TextOfRow& label,
              const std::vector<std::string>& columns, double factor = 1, const TextOfRow& note = nullptr);

// The axis that a chart has from left to right.
struct FigureAxis {
  std::string column, title;
  ChartScale scale = ChartScale::Linear;
  Look look = {};
  TextOfRow panel = nullptr;  // the values of other axes: the rows of a figure share this text
};

// The quantity that a chart shows, and its spread if it has one. The look decides in which unit its numbers are.
struct FigureQuantity {
  std::string column, unit, caption;
  Look look;
  std::function<std::array<double, 2>(const ResultRow&)> range = nullptr;  // the least and the greatest value
  TextOfRow note = nullptr;  // the text below a number; if there is a range, the range stands there
};

// Adds a figure with a line for each text of `series`.
void add_line_figure(HtmlPage& page, const std::string& title, const ResultRows& rows, const FigureAxis& axis,
                     const TextOfRow& series, const FigureQuantity& quantity);

}  // namespace vox
