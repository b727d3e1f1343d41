// Sums up repeated measurements of a time.
#pragma once

#include <vector>

namespace vox::measure {

// Median, least and greatest time of the repetitions, in seconds.
struct Timing {
  double median = 0, min = 0, max = 0;

  // How far the others are from the median at most, as a share of it.
  double spread() const;
};
Timing summarize(std::vector<double> seconds);

}  // namespace vox::measure
