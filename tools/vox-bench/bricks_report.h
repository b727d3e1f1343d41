// What vox-bench bricks has measured, for people and for programs.
#pragma once

#include <string>

#include "formats/pages/html_page.h"
#include "formats/results/report_file.h"
#include "libvox/measure/bricks_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct BricksBenchRun : BenchRun {
  BricksBenchResult result;
};

// "256 x 256 x 256 voxels of u8, 12.3 % filled", and of which it is the middle.
std::string volume_text(const BricksBenchResult& result);

// Tables to read: sizes, code, and the rate of every loop.
std::string table_text(const BricksBenchRun& run);

// One column for each value of a row, with its unit: what JSON, CSV and HDF5 show alike.
ReportGroup rows_table(const BricksBenchResult& result);

std::string json_text(const BricksBenchRun& run);

// As HDF5: the run as attributes of the root, sizes in /bricks/sets, rates in /bricks/rows, curves in
// /bricks/trade_off.
Report bricks_report(const BricksBenchRun& run);

// The same as a page, with the figures of the thesis's chapter 6.
HtmlPage page_of(const BricksBenchRun& run);

}  // namespace vox
