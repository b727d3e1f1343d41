// Results as tables for people: on the screen and on pages.
#pragma once

#include <cstdint>
#include <string>
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

// Returns the table of results that a screen shows: those of the named columns that have a title. If `total` is given,
// its only row comes last, with `name` in the first column.
TextTable text_table(const ResultTable& results, const ColumnNames& names = {});
TextTable text_table(const ResultTable& results, std::string name, const ResultTable& total);

// Return the titles of the columns that a screen shows, and the cells of a row.
std::vector<std::string> screen_titles(const ResultTable& results, const ColumnNames& names = {});
std::vector<std::string> screen_cells(const ResultTable& results, size_t row, const ColumnNames& names = {});

// Returns lines with the names of facts and, below each other, what they are.
std::string facts_text(const HtmlPage::Facts& facts);

// Return a row's value in readable form without its unit, and the values of all rows.
std::string shown_text(const ResultColumn& column, size_t row, const Look& look);
std::string shown_text(double value, const Look& look);
std::vector<std::string> shown_texts(const ResultColumn& column, const Look& look);

std::string format_mib(uint64_t bytes);    // "3,509.12": MiB, without the unit
std::string format_percent(double share);  // "12.5 %" for an eighth

// Makes the tables of report pages from results: each cell has the text that a screen shows, and the exact
// value.

// Returns the table of results that a page shows. If `total` is given, its only row comes last, with `name`
// in the first column.
HtmlTable page_table(const ResultTable& results);
HtmlTable page_table(const ResultTable& results, std::string name, const ResultTable& total);

// Returns a row's value as a cell of a page's table, and the cells of a row.
HtmlCell page_cell(const ResultColumn& column, size_t row, const Look& look);
std::vector<HtmlCell> page_cells(const ResultTable& results, size_t row);
// The factor of the numbers that a page's charts show.
double page_factor(const Look& look);

// Returns the transposed table: each column becomes a row, and each row a column whose title is the row's
// first cell.
HtmlTable turned_page_table(const ResultTable& results);

HtmlCell count_cell(uint64_t count);
HtmlCell mib_cell(uint64_t bytes);               // text in MiB, value in bytes
HtmlCell number_cell(double value, int digits);  // `digits` after the decimal point
HtmlCell row_head(std::string name, std::string unit);

}  // namespace vox
