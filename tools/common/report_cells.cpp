#include "tools/common/report_cells.h"

#include <fmt/format.h>

#include "libvox/base/units.h"
#include "tools/common/text_table.h"

namespace vox {

HtmlCell count_cell(uint64_t count) {
  return {format_count(count), count};
}

HtmlCell mib_cell(uint64_t bytes) {
  return {format_mib(bytes), bytes};
}

HtmlCell number_cell(double value, int digits) {
  return {fmt::format("{:.{}f}", value, digits), value};
}

HtmlCell row_head(std::string name, std::string unit) {
  HtmlCell cell(std::move(name));
  cell.note = std::move(unit);
  return cell;
}

}  // namespace vox
