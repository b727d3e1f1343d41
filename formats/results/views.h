// Shows results to people: tables and views of tables, on the screen and on pages.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/pages/html_page.h"
#include "formats/results/results.h"

namespace vox {

// Aligns rows of cells as text: the first column to the left, all others to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> titles) { row(std::move(titles)); }
  TextTable& row(std::vector<std::string> cells);  // missing cells at the end stay empty

  // Returns the text, each line indented by two spaces. Widths are counted in characters (UTF-8), not bytes.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Names of columns. An empty list stands for all columns.
using ColumnNames = std::vector<std::string>;

// Returns the table that a screen shows: the named columns that have a title. If `total` is given, its only row comes
// last, with `name` in the first column.
TextTable text_table(const ResultTable& results, const ColumnNames& names = {});
TextTable text_table(const ResultTable& results, std::string name, const ResultTable& total);

// Return the titles of the columns that a screen shows, and the cells of a row.
std::vector<std::string> screen_titles(const ResultTable& results, const ColumnNames& names = {});
std::vector<std::string> screen_cells(const ResultTable& results, size_t row, const ColumnNames& names = {});

// Returns a line for each fact, with its name and, aligned, its text.
std::string facts_text(const HtmlPage::Facts& facts);

// These return one row's value, and the values of all rows, in readable form without units.
std::string shown_text(const ResultColumn& column, size_t row, const Look& look);
std::string shown_text(double value, const Look& look);
std::vector<std::string> shown_texts(const ResultColumn& column, const Look& look);

std::string format_mib(uint64_t bytes);    // "3,509.12": MiB, without the unit
std::string format_percent(double share);  // "12.5 %" for an eighth

// Returns the table of results that a page shows. Each cell has the text that a screen shows, and the exact value. If
// `total` is given, its only row comes last, with `name`
// in the first column.
HtmlTable page_table(const ResultTable& results);
HtmlTable page_table(const ResultTable& results, std::string name, const ResultTable& total);

// Returns a row's value as a cell of a page's table, and the cells of a row.
HtmlCell page_cell(const ResultColumn& column, size_t row, const Look& look);
std::vector<HtmlCell> page_cells(const ResultTable& results, size_t row);
// Returns the factor by which a page's charts multiply numbers.
double page_factor(const Look& look);

// Returns the transposed table: each column becomes a row, and each row a column whose title is the row's
// first cell.
HtmlTable turned_page_table(const ResultTable& results);

HtmlCell count_cell(uint64_t count);
HtmlCell mib_cell(uint64_t bytes);               // text in MiB, value in bytes
HtmlCell number_cell(double value, int digits);  // `digits` after the decimal point
HtmlCell row_head(std::string name, std::string unit);

// A view shows some columns of a table of results, as lines on a screen, as a table of a page, or as a chart with its
// numbers.

// A row of a table, which must outlive it. Columns are named as in JSON.
class ResultRow {
 public:
  ResultRow(const ResultTable& table, size_t index) : table_(&table), index_(index) {}
  size_t index() const { return index_; }

  // True if the table has the column, and the row a value in it.
  bool has(std::string_view column) const;
  double number(std::string_view column) const { return (*table_)[column].number(index_); }
  const std::string& word(std::string_view column) const { return (*table_)[column].text(index_); }
  // Returns the value as people read it, or "" if there is none.
  std::string text(std::string_view column, const Look& look = {}) const;
  // Returns the value as a page shows it, with the exact number. Empty if there is none.
  HtmlCell cell(std::string_view column, const Look& look) const;

 private:
  const ResultTable* table_;
  size_t index_;
};

using ResultRows = std::vector<ResultRow>;
using TextOfRow = std::function<std::string(const ResultRow&)>;
using CellOfRow = std::function<HtmlCell(const ResultRow&)>;

ResultRows rows_of(const ResultTable& table);
// Returns the rows for which the function returns this text.
ResultRows rows_with(const ResultRows& rows, const TextOfRow& text, std::string_view wanted);
// Returns the rows that have a value in this column.
ResultRows rows_with_value(const ResultRows& rows, std::string_view column);
// Returns the different texts of the rows, in their order.
std::vector<std::string> texts_of(const ResultRows& rows, const TextOfRow& text);
// Cuts the rows into runs with equal texts.
std::vector<ResultRows> runs_of(const ResultRows& rows, const TextOfRow& text);
// These return functions for the texts of a column, and for its values as a page shows them.
TextOfRow text_in(std::string column);
CellOfRow cell_in(std::string column, const Look& look = {});

// A part of a line on a screen. Parts that have one heading stand below each other.
struct LinePart {
  uint32_t place;  // columns are ordered by their places, then by their first appearance
  std::string heading, text;
};

struct LineView {
  TextOfRow line;  // rows that follow each other and share this text form one line
  // Returns the parts that a row adds to its line. If several rows of a line have a part, the first one counts.
  std::function<std::vector<LinePart>(const ResultRow&)> parts;
  std::string missing = {};  // the text for a part that no row of a line has
  // Returns true if there is a gap between two lines, given their first rows. Without the function there are no gaps.
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

// The axis of a chart from left to right.
struct FigureAxis {
  std::string column, title;
  ChartScale scale = ChartScale::Linear;
  Look look = {};
  TextOfRow panel = nullptr;  // the values of other axes: the rows of a figure share this text
};

// The quantity that a chart shows, and its spread if it has one. The look decides the unit of its numbers.
struct FigureQuantity {
  std::string column, unit, caption;
  Look look;
  std::function<std::array<double, 2>(const ResultRow&)> range = nullptr;  // the least and the greatest value
  TextOfRow note = nullptr;  // the text below a number, unless a range is there
};

// Adds a figure with a line for each text of `series`.
void add_line_figure(HtmlPage& page, const std::string& title, const ResultRows& rows, const FigureAxis& axis,
                     const TextOfRow& series, const FigureQuantity& quantity);

}  // namespace vox
