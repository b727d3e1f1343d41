// What repeated measurements come to.
#pragma once

#include <vector>

namespace vox::measure {

// Of the repetitions, in seconds.
struct Timing {
  double median = 0, min = 0, max = 0;
};
Timing summarize(std::vector<double> seconds);

}  // namespace vox::measure
