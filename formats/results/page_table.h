// Makes the tables of report pages from results: each cell has the text that a screen shows, and the exact
// value.
#pragma once

#include <cstdint>
#include <string>

#include "formats/pages/html_table.h"
#include "libvox/measure/results.h"

namespace vox {

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
