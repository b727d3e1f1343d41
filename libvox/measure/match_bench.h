// Geometric hashing (Alcantara et al. 2009, §6): finds a picture, the query, in another one, the reference,
// turned, scaled and shifted; and measures how long that takes with one and another table of voxel keys, as
// the paper's Table 1 does. A table serves the map from coordinates to bases and the two-way indices of
// bases. What is found is the same with every table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/measure/picture_pair.h"
#include "libvox/measure/timing.h"

namespace vox {
class Engine;
}

namespace vox::measure {

struct MatchBenchOptions {
  static constexpr uint32_t kMostBases = 1 << 16, kMostRepetitions = 1000;
  static constexpr uint32_t kFewestPoints = 8, kFewestCells = 4;

  std::vector<std::string> tables = {"lines", "robin", "cuckoo2009", "sorted"};
  uint32_t points = 256;       // of a picture, at most
  uint32_t bases = 16384;      // of the reference, at most
  uint32_t query_bases = 256;  // at most
  uint32_t cells = 32;         // that the two points of a basis are apart
  uint32_t step = 32;          // grey levels from pixel to pixel, from which on there is an edge
  uint32_t least_percent =
      MatchLimits().least_percent;  // of the query's points have to fall on the reference's
  uint32_t repetitions = 7;
  uint64_t seed = 1;  // decides which pairs of points are bases
  scene::Image query, reference;
};

// Throws UsageError unless all options make sense, pictures aside.
void check(const MatchBenchOptions& options);

struct MatchBenchRow {
  std::string table;
  // Of the map: pairs of keys and values, different keys, and the most values of one.
  uint64_t items = 0, keys = 0, most_values = 0;
  uint64_t votes = 0;  // that were cast
  uint64_t bytes = 0;  // of map and index
  uint32_t repetitions = 0;
  // Absent where a table could not be built. The whole is the sum of all three.
  std::optional<Timing> map_time, index_time, vote_time, time;
  std::string error;  // why there is no time, or what is wrong

  double mean_values() const {
    return keys == 0 ? 0 : static_cast<double>(items) / static_cast<double>(keys);
  }
};

// What has been found in a picture.
struct PictureFeatures {
  uint32_t width = 0, height = 0;
  uint64_t edge_points = 0, points = 0, bases = 0;
};

struct MatchBenchResult {
  PictureFeatures query, reference;
  uint32_t most_votes = 0;            // of a pair of bases
  std::optional<PictureMatch> match;  // none where too few points come together
  std::vector<MatchBenchRow> rows;
  double seconds = 0;  // of the whole benchmark

  // The query's points that fall on points of the reference, as a share.
  double share() const;
};

// Throws Error where a picture has too few edges for a basis, or where tables do not agree on what they find.
MatchBenchResult bench_match(Engine& engine, const MatchBenchOptions& options);

// The same on this device; compiled for each in match_bench_cpu.cpp and match_bench_cuda.cu.
template <class Device>
MatchBenchResult bench_match_on(Device& device, const MatchBenchOptions& options);

}  // namespace vox::measure
