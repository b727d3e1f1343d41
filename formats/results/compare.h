// Compares the results of a benchmark with those of an earlier run, row by row.
//
// A row counts as slower if all of its repetitions took longer than the slowest repetition of the earlier
// run, and if the two medians differ by more than kLeastChange. So neither the spread of repetitions nor a
// very small change is reported. Faster is defined the same way in the other direction. With one
// repetition there is no spread, and kLeastChange alone decides. Rows that did different work are not
// compared.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/results/results.h"
#include "libvox/measure/timing.h"

namespace vox {

inline constexpr double kLeastChange = 0.03;  // as a share of the earlier median

// The columns by which the rows of a benchmark are compared. Two rows are the same measurement if their
// values of the axes are equal, and they did the same work if their values of `work` are equal, too. Their
// times are in the columns ms, ms_min and ms_max, or in ms alone.
struct ComparedColumns {
  std::vector<std::string> axes, work;
};

enum class RowChange : uint8_t {
  None,  // the difference is within the spread
  Slower,
  Faster,
  OtherWork,  // the row did different work, so its times cannot be compared
  Added,      // the earlier run has no such row
  Gone        // this run has no such row
};
inline constexpr std::array kChangeNames = {"same", "slower", "faster", "other work", "added", "gone"};

struct AgainstRow {
  std::string row;  // the values of the row's axes, e.g. "spheres, fresh, 1140"
  std::optional<measure::Timing> before = {}, now = {};  // in ms
  RowChange change = RowChange::None;
  std::string other_work = {};  // e.g. "nodes_new 120, was 118"; only for OtherWork

  // Returns the median of this run divided by that of the earlier one.
  std::optional<double> ratio() const;
};

// Returns the rows of this run in their order, then those that only the earlier run has. Rows without a time
// are left out.
std::vector<AgainstRow> compare_results(const ResultTable& now, const ResultTable& before,
                                        const ComparedColumns& columns);

uint64_t count_of(const std::vector<AgainstRow>& rows, RowChange change);

}  // namespace vox
