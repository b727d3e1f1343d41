#include "libvox/measure/match_bench.h"

#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

void check(const MatchBenchOptions& options) {
  using Options = MatchBenchOptions;
  check_names(options.tables, hash::key_table_names(), "the list of hash tables");
  check_axis({options.points}, "the number of feature points", Options::kFewestPoints,
             match::kMostFeaturePoints);
  check_axis({options.bases}, "the number of bases", 1, Options::kMostBases);
  check_axis({options.query_bases}, "the number of the query's bases", 1, Options::kMostBases);
  check_axis({options.cells}, "the number of cells of a basis", Options::kFewestCells,
             match::BasisFrame::kMostCells);
  check_axis({options.step}, "the step of an edge", 1, 255);
  check_axis({options.least_percent}, "the least share of points", 1, 100);
  check_axis({options.repetitions}, "the number of repetitions", 1, Options::kMostRepetitions);
}

double MatchBenchResult::share() const {
  return match && query.points > 0 ? static_cast<double>(match->points) / static_cast<double>(query.points)
                                   : 0;
}

}  // namespace vox::measure
