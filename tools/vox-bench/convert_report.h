// The measurements of vox-bench convert, for people and for programs.
#pragma once

#include <string>

#include "formats/pages/html_page.h"
#include "libvox/measure/convert_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct ConvertBenchRun : BenchRun {
  measure::ConvertBenchResult result;
};

// A table for people with a line for each row.
std::string table_text(const ConvertBenchRun& run);

// All that was measured. In a report the sizes are attributes of /convert, which holds the table `rows` and,
// with a profile, `kernels`.
measure::ResultGroup results_of(const ConvertBenchRun& run);
measure::ResultTable rows_table(const ConvertBenchRun& run);

// The columns of the rows by which two runs are compared.
inline measure::ComparedColumns compared_columns(const ConvertBenchRun& /*run*/) {
  return {{"mesh", "coverage", "materials", "resolution"}, {"triangles", "voxels", "svo_nodes", "nodes"}};
}

// The mesh, coverage and materials of a row, by which charts group rows: "sphere, conservative, texture".
std::string series_text(const measure::ConvertBenchRow& row);

// The results as a page with a chart of the times over the resolutions, and of the phases.
HtmlPage page_of(const ConvertBenchRun& run);

}  // namespace vox
