#include "tools/vox-bench/ceilings.h"

#include <fmt/format.h>

#include "formats/results/page_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/columns.h"

namespace vox {

measure::ResultTable ceilings_table(const Ceilings& ceilings) {
  using Row = measure::RandomReadCeiling;
  measure::ResultTable table;
  table.column("bytes_each", "bytes", ceilings, &Row::bytes_each)
      .column("buffer_bytes", "bytes", ceilings, &Row::buffer_bytes)
      .column("reads_per_second", "1/s", ceilings, &Row::reads_per_second);
  add_times(table, ceilings);
  table.column("repetitions", "", ceilings, &Row::repetitions);
  return table;
}

std::string ceilings_text(const Ceilings& ceilings) {
  std::string text;
  for (const measure::RandomReadCeiling& ceiling : ceilings)
    text += fmt::format("random reads of {:>3} bytes from {:>10}: {:6.3f} G/s\n", ceiling.bytes_each,
                        format_bytes(ceiling.buffer_bytes), ceiling.reads_per_second * 1e-9);
  return text;
}

void add_ceilings(HtmlPage& page, const Ceilings& ceilings) {
  HtmlTable table(
      {{"bytes each", "", HtmlTable::Kind::Name}, {"from", "MiB"}, {"reads", "G/s"}, {"time", "ms"}});
  for (const measure::RandomReadCeiling& ceiling : ceilings)
    table.row({std::to_string(ceiling.bytes_each),
               mib_cell(ceiling.buffer_bytes),
               {fmt::format("{:.3f}", ceiling.reads_per_second * 1e-9), ceiling.reads_per_second},
               number_cell(ceiling.time.median * 1e3, 3)});
  page.section("What the memory can do").table("Random reads, measured first", table);
}

}  // namespace vox
