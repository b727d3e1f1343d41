// The results of vox-bench match, for people and for programs.
#pragma once

#include <optional>
#include <string>

#include "formats/pages/html_page.h"
#include "libvox/measure/match_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct MatchRun : BenchRun {
  measure::MatchBenchResult result;
  std::optional<measure::Similarity> known;  // known for generated pictures
  std::string query, reference;              // names of the pictures
  scene::Image overlay;                      // without pixels where nobody asks for it

  // The distance in pixels, at a corner of the query, between the similarity that was found and the known one.
  std::optional<double> off() const;
};

// The match, and a table of the measurements.
std::string table_text(const MatchRun& run);

// All of it. In a report it is /match, with the table `rows`.
measure::ResultGroup results_of(const MatchRun& run);
measure::ResultTable rows_table(const MatchRun& run);

// The columns of the rows by which two runs are compared.
inline measure::ComparedColumns compared_columns(const MatchRun& /*run*/) {
  return {{"table"}, {"items", "keys", "votes"}};
}

// The results as a page with the overlay and a chart of the times.
HtmlPage page_of(const MatchRun& run);

}  // namespace vox
