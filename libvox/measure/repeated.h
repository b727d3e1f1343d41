// Measures the time of an operation repeatedly.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "libvox/base/cancel.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

// Returns the timing of `repetitions` calls of f, after one that warms up and is not counted. f gets the
// number of the repetition, from 0, and returns the seconds that it took.
template <class F>
Timing repeated(uint32_t repetitions, const F& f) {
  std::vector<double> seconds;
  for (uint32_t repetition = 0; repetition <= repetitions; ++repetition) {
    throw_if_cancelled();
    const double elapsed = f(repetition);
    if (repetition > 0) seconds.push_back(elapsed);
  }
  return summarize(std::move(seconds));
}

}  // namespace vox::measure
