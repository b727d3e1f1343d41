// What vox-bench hash has measured, for people and for programs.
#pragma once

#include <string>

#include "formats/pages/html_page.h"
#include "libvox/measure/hash_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct HashBenchRun : BenchRun {
  measure::HashBenchResult result;
};

// Tables to read, as Table 2 and Figure 8: times with their spread and what they reach of the ceiling.
std::string table_text(const HashBenchRun& run);

// All that was measured. In a report the sizes are attributes of /hash, which holds the tables `ceilings` and
// `rows`.
measure::ResultGroup results_of(const HashBenchRun& run);
measure::ResultTable rows_table(const measure::HashBenchResult& result);

// The same as a page with a chart for each operation.
HtmlPage page_of(const HashBenchRun& run);

}  // namespace vox
