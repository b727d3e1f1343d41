// The measurements of vox-bench hash, for people and for programs.
#pragma once

#include <string>

#include "formats/pages/html_page.h"
#include "libvox/measure/hash_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct HashBenchRun : BenchRun {
  measure::HashBenchResult result;
};

// Tables for people, as Table 2 and Figure 8: times with their spread and the share of the ceiling that they
// reach.
std::string table_text(const HashBenchRun& run);

// All that was measured. In a report the sizes are attributes of /hash, which holds the tables `ceilings` and
// `rows`.
measure::ResultGroup results_of(const HashBenchRun& run);
measure::ResultTable rows_table(const HashBenchRun& run);

// The columns of the rows by which two runs are compared.
inline measure::ComparedColumns compared_columns(const HashBenchRun& /*run*/) {
  return {{"table", "item_words", "load_factor", "op", "hit_rate"}, {"items"}};
}

// The results as a page with a chart for each operation.
HtmlPage page_of(const HashBenchRun& run);

}  // namespace vox
