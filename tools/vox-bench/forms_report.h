// The measurements of vox-bench forms, for people and for programs.
#pragma once

#include <string>

#include "formats/pages/html_page.h"
#include "libvox/measure/forms_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct FormsBenchRun : BenchRun {
  std::string source;
  measure::FormsBenchResult result;
};

// A table for people with a line for each form.
std::string table_text(const FormsBenchRun& run);

// All that was measured. In a report the sizes are attributes of /forms, which holds the tables `ceilings`,
// `sizes` and `rows`.
measure::ResultGroup results_of(const FormsBenchRun& run);
measure::ResultTable rows_table(const FormsBenchRun& run);

// The columns of the rows by which two runs are compared.
inline measure::ComparedColumns compared_columns(const FormsBenchRun& /*run*/) {
  return {{"form", "brick_size", "load_factor", "layout", "loop"}, {"lookups", "filled", "checksum"}};
}

// The results as a page with a chart for each loop.
HtmlPage page_of(const FormsBenchRun& run);

// "1,234,567 voxels in 512³".
std::string scene_text(const measure::FormsBenchResult& result);

// The loops that were measured, in their order; none where no form could be.
struct LoopTitle {
  std::string loop, title, unit;  // "mean", "mean 3³", "G/s"
  double scale;                   // of the unit: 1e9
};
std::vector<LoopTitle> loop_titles(const measure::FormsBenchResult& result);

// The row of a form, or null where there is none.
const measure::FormsBenchRow* row_of(const measure::FormsBenchResult& result, size_t form,
                                     const std::string& loop);

}  // namespace vox
