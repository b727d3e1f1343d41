// Makes tables of report pages from results: each cell has the text as on screen, and the exact value.
#pragma once

#include <cstdint>
#include <string>

#include "formats/pages/html_table.h"
#include "libvox/measure/results.h"

namespace vox {

// The table that a page shows of results. The only row of `total` comes last, with its name in the first
// column.
HtmlTable page_table(const measure::ResultTable& results);
HtmlTable page_table(const measure::ResultTable& results, std::string name,
                     const measure::ResultTable& total);

// The table turned: a row for each column, and a column for each row, whose title is its cell in the first
// column.
HtmlTable turned_page_table(const measure::ResultTable& results);

HtmlCell count_cell(uint64_t count);
HtmlCell mib_cell(uint64_t bytes);               // text in MiB, value in bytes
HtmlCell number_cell(double value, int digits);  // digits after the point
HtmlCell row_head(std::string name, std::string unit);

}  // namespace vox
