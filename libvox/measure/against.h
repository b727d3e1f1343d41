// Compares what a benchmark has measured with an earlier run of it, row by row.
//
// A row has become slower where no repetition was as fast as the slowest one of the earlier run, and where
// the medians are more than kLeastChange apart: so that neither the spread of the repetitions nor a change
// that nobody would see is taken for one. Faster is the same the other way round. With one repetition there
// is no spread, and kLeastChange alone decides. Rows that did other work are not compared.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/measure/results.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

inline constexpr double kLeastChange = 0.03;  // of the earlier median

// The columns of a benchmark's rows by which they are compared: two rows with the same values of the axes are
// the same measurement, and did the same work where those of `work` are the same. Their times are in the
// columns ms, ms_min and ms_max, or in ms alone.
struct ComparedColumns {
  std::vector<std::string> axes, work;
};

enum class Change : uint8_t {
  None,  // within the spread
  Slower,
  Faster,
  OtherWork,  // the row did other work, so that its times say nothing
  Added,      // the earlier run has no such row
  Gone        // this run has no such row
};
inline constexpr std::array kChangeNames = {"same", "slower", "faster", "other work", "added", "gone"};

struct AgainstRow {
  std::string row;                              // the values of its axes: "spheres, fresh, 1140"
  std::optional<Timing> before = {}, now = {};  // in ms
  Change change = Change::None;
  std::string other_work = {};  // "nodes_new 120, was 118"; of OtherWork alone

  std::optional<double> ratio() const;  // of the medians, now to before
};

// The rows of this run in their order, then those that only the earlier run has. Rows without a time are left
// out.
std::vector<AgainstRow> compare_results(const ResultTable& now, const ResultTable& before,
                                        const ComparedColumns& columns);

uint64_t count_of(const std::vector<AgainstRow>& rows, Change change);

}  // namespace vox::measure
