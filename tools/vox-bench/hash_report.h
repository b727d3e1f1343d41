// What vox-bench hash has measured, for people and for programs.
#pragma once

#include <string>

#include "formats/pages/html_page.h"
#include "formats/results/report_file.h"
#include "libvox/measure/hash_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct HashBenchRun : BenchRun {
  HashBenchResult result;
};

// Tables to read, as Table 2 and Figure 8: times with their spread and what they reach of the ceiling.
std::string table_text(const HashBenchRun& run);

// One column for each value of a row, with its unit: what JSON, CSV and HDF5 show alike.
ReportGroup rows_table(const HashBenchResult& result);

std::string json_text(const HashBenchRun& run);

// As HDF5: the run as attributes of the root, the sizes as attributes of /hash, the columns of ceilings and
// rows in /hash/ceilings and /hash/rows.
Report hash_report(const HashBenchRun& run);

// The same as a page with a chart for each operation.
HtmlPage page_of(const HashBenchRun& run);

}  // namespace vox
