#include "libvox/measure/timing.h"

#include <algorithm>

namespace vox::measure {

double Timing::spread() const {
  return median > 0 ? std::max(max - median, median - min) / median : 0;
}

Timing summarize(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::ranges::sort(seconds);
  const size_t middle = seconds.size() / 2;
  const double median =
      seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
  return {median, seconds.front(), seconds.back()};
}

}  // namespace vox::measure
