// Results as tables for people: on the screen and on pages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/pages/html_page.h"
#include "libvox/measure/results.h"

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

// Returns the table of results that a screen shows. If `total` is given, its only row comes last, with `name`
// in the first column.
TextTable text_table(const measure::ResultTable& results);
TextTable text_table(const measure::ResultTable& results, std::string name,
                     const measure::ResultTable& total);

// Return the titles of the columns that a screen shows, and the cells of a row.
std::vector<std::string> screen_titles(const measure::ResultTable& results);
std::vector<std::string> screen_cells(const measure::ResultTable& results, size_t row);

// Return a row's value in readable form without its unit, and the values of all rows.
std::string shown_text(const measure::ResultColumn& column, size_t row, const measure::Look& look);
std::vector<std::string> shown_texts(const measure::ResultColumn& column, const measure::Look& look);

std::string format_mib(uint64_t bytes);    // "3,509.12": MiB, without the unit
std::string format_percent(double share);  // "12.5 %" for an eighth

// Makes the tables of report pages from results: each cell has the text that a screen shows, and the exact
// value.

// Returns the table of results that a page shows. If `total` is given, its only row comes last, with `name`
// in the first column.
HtmlTable page_table(const measure::ResultTable& results);
HtmlTable page_table(const measure::ResultTable& results, std::string name,
                     const measure::ResultTable& total);

// Returns the transposed table: each column becomes a row, and each row a column whose title is the row's
// first cell.
HtmlTable turned_page_table(const measure::ResultTable& results);

HtmlCell count_cell(uint64_t count);
HtmlCell mib_cell(uint64_t bytes);               // text in MiB, value in bytes
HtmlCell number_cell(double value, int digits);  // `digits` after the decimal point
HtmlCell row_head(std::string name, std::string unit);

}  // namespace vox
