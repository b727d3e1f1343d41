// The measurements of vox-bench intersect, for people and for programs.
#pragma once

#include <string>

#include "formats/pages/html_page.h"
#include "libvox/measure/intersect_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct IntersectRun : BenchRun {
  std::string first, second;  // names of the meshes
  measure::IntersectOptions options;
  measure::IntersectResult result;
};

// Tables for people: a line for each table of voxel keys, and one for each of some frames.
std::string table_text(const IntersectRun& run);

// All that was measured. In a report the sizes are attributes of /intersect, which holds the tables `tables` and
// `rows`.
measure::ResultGroup results_of(const IntersectRun& run);
measure::ResultTable summaries_table(const measure::IntersectResult& result);
measure::ResultTable frames_table(const std::vector<measure::IntersectRow>& rows);
inline measure::ResultTable rows_table(const IntersectRun& run) {
  return frames_table(run.result.rows);
}

// The columns of the rows by which two runs are compared.
inline measure::ComparedColumns compared_columns(const IntersectRun& /*run*/) {
  return {{"table", "frame"}, {"first_voxels", "second_voxels", "common_voxels", "candidates", "meeting"}};
}

// The results as a page with charts over the frames.
HtmlPage page_of(const IntersectRun& run);

// "1,584 frames a second, …": what the paper's figure compares with.
std::string paper_text();

}  // namespace vox
