// Cells of tables in report pages: the text as on screen, the exact value beside it.
#pragma once

#include <cstdint>
#include <string>

#include "formats/pages/html_page.h"

namespace vox {

HtmlCell count_cell(uint64_t count);
HtmlCell mib_cell(uint64_t bytes);               // text in MiB, value in bytes
HtmlCell number_cell(double value, int digits);  // digits after the point
HtmlCell row_head(std::string name, std::string unit);

}  // namespace vox
