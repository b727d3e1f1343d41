#include "libvox/measure/match_bench.h"

#include "libvox/base/phrase.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/axes.h"

namespace vox::measure {

void check(const MatchBenchOptions& options) {
  using Options = MatchBenchOptions;
  check_names(options.tables, hash::key_table_names(), Phrase::Tables);
  check_axis({options.points}, Phrase::FeaturePoints, Options::kFewestPoints, kMostFeaturePoints);
  check_axis({options.bases}, Phrase::Bases, 1, Options::kMostBases);
  check_axis({options.query_bases}, Phrase::QueryBases, 1, Options::kMostBases);
  check_axis({options.cells}, Phrase::BasisCells, Options::kFewestCells, BasisFrame::kMostCells);
  check_axis({options.step}, Phrase::EdgeStep, 1, 255);
  check_axis({options.least_percent}, Phrase::LeastShare, 1, 100);
  check_axis({options.repetitions}, Phrase::Repetitions, 1, Options::kMostRepetitions);
}

double MatchBenchResult::share() const {
  return match && query.points > 0 ? static_cast<double>(match->points) / static_cast<double>(query.points)
                                   : 0;
}

}  // namespace vox::measure
