#include "libvox/measure/axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "libvox/base/error.h"

namespace vox::measure {

void check_axis(const std::vector<uint32_t>& values, Phrase axis, uint32_t low, uint32_t high) {
  if (values.empty()) throw UsageError(fmt::format("{} names no value", phrase(axis)));
  for (const uint32_t value : values)
    if (value < low || value > high)
      throw UsageError(fmt::format("{} has {}, expected {} to {}", phrase(axis), value, low, high));
}

void check_names(const std::vector<std::string>& names, const std::vector<std::string>& known, Phrase axis) {
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw UsageError(
          fmt::format("{} has '{}', expected some of: {}", phrase(axis), name, fmt::join(known, ", ")));
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
