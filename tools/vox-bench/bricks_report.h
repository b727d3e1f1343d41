// The measurements of vox-bench bricks, for people and for programs.
#pragma once

#include <string>

#include "formats/pages/html_page.h"
#include "libvox/measure/bricks_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct BricksBenchRun : BenchRun {
  measure::BricksBenchResult result;
};

// "256 x 256 x 256 voxels of u8, 12.3 % filled", and the larger volume of which this is the middle.
std::string volume_text(const measure::BricksBenchResult& result);

// Tables for people: sizes, code, and the rate of every loop.
std::string table_text(const BricksBenchRun& run);

// All that was measured. In a report the volume's sizes are attributes of /bricks, which holds the tables
// `sets`, `rows` and `trade_off`.
measure::ResultGroup results_of(const BricksBenchRun& run);
measure::ResultTable rows_table(const BricksBenchRun& run);
measure::ResultTable trade_off_table(const std::vector<measure::BricksTradeOffRow>& rows);

// The columns of the rows by which two runs are compared.
inline measure::ComparedColumns compared_columns(const BricksBenchRun& /*run*/) {
  return {{"types", "brick_size", "access", "loop", "filter"}, {"lookups", "bytes"}};
}

// The results as a page, with the figures of the thesis's chapter 6.
HtmlPage page_of(const BricksBenchRun& run);

}  // namespace vox
