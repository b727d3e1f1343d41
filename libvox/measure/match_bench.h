// Geometric hashing (Alcantara et al. 2009, §6): finds one picture, the query, in another, the reference, in which
// it appears rotated, scaled and shifted. The time is measured with several tables of voxel keys, as in the paper's
// Table 1. A table serves both for the map from coordinates to bases and for the two-way indices of bases. All
// tables find the same match. There may be several queries, such as the frames of a video; map and index are built
// once, and the time of voting is the mean of all queries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/hash/keyed/key_table.h"
#include "libvox/match/similarity.h"
#include "libvox/measure/timing.h"
#include "libvox/scene/scene.h"

namespace vox {
class Engine;
}

namespace vox::measure {

struct MatchBenchOptions {
  static constexpr uint32_t kMostBases = 1 << 16, kMostRepetitions = 1000;
  static constexpr uint32_t kFewestPoints = 8, kFewestCells = 4;

  std::vector<std::string> tables = {"lines", "robin", "cuckoo2009", "sorted"};
  uint32_t points = 256;       // maximum for each picture
  uint32_t bases = 16384;      // maximum for the reference
  uint32_t query_bases = 256;  // maximum for the query
  uint32_t cells = 32;         // distance between the two points of a basis
  uint32_t step = 32;          // minimum change of gray from one pixel to the next at an edge
  // The minimum share of the query's points, in percent, that must fall on points of the reference.
  uint32_t least_percent = match::MatchLimits().least_percent;
  uint32_t repetitions = 7;
  uint64_t seed = 1;                  // decides which pairs of points become bases
  std::vector<scene::Image> queries;  // at least one
  scene::Image reference;
};

// Throws UsageError unless all options make sense. The pictures are not checked.
inline void check(const MatchBenchOptions& options) {
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

struct MatchBenchRow {
  std::string table;
  // Statistics of the map: pairs of keys and values, different keys, and the most values of one key.
  uint64_t items = 0, keys = 0, most_values = 0;
  uint64_t votes = 0;  // number of votes cast, for all queries
  uint64_t bytes = 0;  // size of map and index
  uint32_t repetitions = 0;
  // Absent if a table could not be built. `vote_time` is for one query; `time` is the sum of the other three.
  std::optional<Timing> map_time, index_time, vote_time, time;
  std::string error;  // why there is no time, or why the result is wrong

  double mean_values() const {
    return keys == 0 ? 0 : static_cast<double>(items) / static_cast<double>(keys);
  }
};

// The numbers of features found in a picture.
struct PictureFeatures {
  uint32_t width = 0, height = 0;
  uint64_t edge_points = 0, points = 0, bases = 0;
};

struct MatchedQuery {
  PictureFeatures features;
  uint32_t most_votes = 0;                   // the most votes that a pair of bases has
  std::optional<match::PictureMatch> match;  // empty if too few points coincide

  // Returns the share of the query's points that fall on points of the reference.
  double share() const {
    return match && features.points > 0
               ? static_cast<double>(match->points) / static_cast<double>(features.points)
               : 0;
  }
};

struct MatchBenchResult {
  std::vector<MatchedQuery> queries;
  PictureFeatures reference;
  std::vector<MatchBenchRow> rows;
  double seconds = 0;  // for the whole benchmark
};

// Throws Error if a picture has too few edges for a basis, or if the tables find different results.
MatchBenchResult bench_match(Engine& engine, const MatchBenchOptions& options);

// The same for a device of this type.
template <class Device>
MatchBenchResult bench_match_on(Device& device, const MatchBenchOptions& options);

}  // namespace vox::measure
