// Summarizes repeated measurements of a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libvox/base/progress.h"

namespace vox::measure {

// The median, least and greatest time of the repetitions, in seconds.
struct Timing {
  double median = 0, min = 0, max = 0;

  // Returns the greatest distance of a time from the median, as a share of the median.
  double spread() const;
};
Timing summarize(std::vector<double> seconds);

// Returns the timing of `repetitions` calls of f, after one more call that warms up and is not counted.
// f gets the number of the repetition, from 0, and returns the seconds that it took.
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

// These functions check the axes of a benchmark, which are the lists of values that it measures. They throw
// UsageError if an axis has no value, or an invalid one.
void check_axis(const std::vector<uint32_t>& values, std::string_view axis, uint32_t low, uint32_t high);
void check_load_factors(const std::vector<double>& values);  // for tables of voxel keys: at most 1
void check_filters(const std::vector<uint32_t>& sides);      // for mean filters, in voxels
void check_picture_side(uint32_t pixels);                    // for a square picture; 0: no picture
void check_names(const std::vector<std::string>& names, const std::vector<std::string>& known,
                 std::string_view axis);

// Returns count · scale, rounded.
uint64_t scaled(uint64_t count, double scale);

// Returns the chosen names in the order of `known`, or all of `known` if none was chosen.
std::vector<std::string> chosen_names(const std::vector<std::string>& chosen, std::vector<std::string> known);

}  // namespace vox::measure
