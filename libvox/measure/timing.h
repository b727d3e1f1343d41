// Summarises repeated measurements of a time.
#pragma once

#include <vector>

namespace vox::measure {

// The median, least and greatest time of the repetitions, in seconds.
struct Timing {
  double median = 0, min = 0, max = 0;

  // Returns the greatest distance of a time from the median, as a share of the median.
  double spread() const;
};
Timing summarize(std::vector<double> seconds);

}  // namespace vox::measure
