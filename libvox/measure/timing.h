// Sums up repeated measurements of a time.
#pragma once

#include <vector>

namespace vox::measure {

// Median, least and greatest time of the repetitions, in seconds.
struct Timing {
  double median = 0, min = 0, max = 0;
};
Timing summarize(std::vector<double> seconds);

}  // namespace vox::measure
