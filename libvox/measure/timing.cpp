#include "libvox/measure/timing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "libvox/base/error.h"
#include "libvox/render/render.h"

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

void check_axis(const std::vector<uint32_t>& values, std::string_view axis, uint32_t low, uint32_t high) {
  if (values.empty()) throw UsageError(fmt::format("{} names no value", axis));
  for (const uint32_t value : values)
    if (value < low || value > high)
      throw UsageError(fmt::format("{} has {}, expected {} to {}", axis, value, low, high));
}

void check_load_factors(const std::vector<double>& values) {
  if (values.empty()) throw UsageError("the list of load factors names no value");
  for (const double value : values)
    if (!(value > 0 && value <= 1))
      throw UsageError(
          fmt::format("the list of load factors has {}, expected numbers above 0 and at most 1", value));
}

void check_filters(const std::vector<uint32_t>& sides) {
  constexpr uint32_t kMost = 63;
  for (const uint32_t side : sides)
    if (side % 2 == 0 || side > kMost)
      throw UsageError(fmt::format("a filter of {} voxels a side, expected 1, 3, 5, … {}", side, kMost));
}

void check_picture_side(uint32_t pixels) {
  if (pixels > render::kMaxPictureSide)
    throw UsageError(fmt::format("a picture of {0} x {0} pixels is too large", pixels));
}

void check_names(const std::vector<std::string>& names, const std::vector<std::string>& known,
                 std::string_view axis) {
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw UsageError(fmt::format("{} has '{}', expected some of: {}", axis, name, fmt::join(known, ", ")));
}

uint64_t scaled(uint64_t count, double scale) {
  return static_cast<uint64_t>(std::llround(static_cast<double>(count) * scale));
}

std::vector<std::string> chosen_names(const std::vector<std::string>& chosen,
                                      std::vector<std::string> known) {
  std::erase_if(known, [&](const std::string& name) {
    return !chosen.empty() && std::ranges::find(chosen, name) == chosen.end();
  });
  return known;
}

}  // namespace vox::measure
