// The measurements of vox-bench edit, for people and for programs.
#pragma once

#include <string>

#include "formats/pages/html_page.h"
#include "libvox/measure/edit_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct EditBenchRun : BenchRun {
  std::string source;
  measure::EditBenchResult result;
};

// A table for people with a line for each row.
std::string table_text(const EditBenchRun& run);

// All that was measured. In a report the sizes are attributes of /edit, which holds the table `rows` and,
// with a profile, `kernels`.
measure::ResultGroup results_of(const EditBenchRun& run);
measure::ResultTable rows_table(const EditBenchRun& run);
measure::ResultTable edit_rows_table(const std::vector<measure::EditBenchRow>& rows);

// The columns of the rows by which two runs are compared. How many nodes an edit makes on its way is not its
// work but its way: what comes of it is.
inline measure::ComparedColumns compared_columns(const EditBenchRun& /*run*/) {
  return {{"series", "order", "size", "batch", "edits"},
          {"changed_voxels", "nodes_new", "leaves_new", "items_after"}};
}

// "45,972,702 voxels in 4096³, 1,234,567 nodes".
std::string edited_scene_text(const measure::EditBenchResult& result);

// The results as a page with a chart for each series, and with a profile another of its kernels.
HtmlPage page_of(const EditBenchRun& run);

}  // namespace vox
