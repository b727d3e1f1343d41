#include "tools/vox-bench/axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/voxelize/grid.h"

namespace vox {
namespace {

uint32_t parse_value(std::string_view text, std::string_view option) {
  const uint64_t value = parse_count(text, option);
  if (value > UINT32_MAX) throw UsageError(fmt::format("{} has {}, which is too much", option, text));
  return static_cast<uint32_t>(value);
}

// The whole text as a number greater than 0, else 0.
double positive(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) && value > 0 ? value : 0;
}

}  // namespace

std::vector<std::string> parse_names(std::string_view text, std::string_view option) {
  std::vector<std::string> names;
  for (bool more = true; more;) {
    const size_t comma = text.find(',');
    names.emplace_back(text.substr(0, comma));
    if (names.back().empty()) throw UsageError(fmt::format("{} has nothing between two commas", option));
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return names;
}

std::optional<std::string> given(const cxxopts::ParseResult& parsed, const std::string& option) {
  if (parsed.count(option) == 0) return std::nullopt;
  return parsed[option].as<std::string>();
}

std::optional<uint32_t> one_number(const cxxopts::ParseResult& parsed, const std::string& option) {
  const auto text = given(parsed, option);
  if (!text) return std::nullopt;
  const uint64_t value = parse_count(*text, "--" + option);
  if (value > UINT32_MAX) throw UsageError(fmt::format("--{} is {}, which is too much", option, *text));
  return static_cast<uint32_t>(value);
}

std::optional<uint32_t> read_resolution(const cxxopts::ParseResult& parsed) {
  const std::optional<uint32_t> resolution = one_number(parsed, "res");
  if (resolution && (*resolution < voxelize::kMinResolution || *resolution > voxelize::kMaxResolution))
    throw UsageError(fmt::format("--res is {}, expected {} to {}", *resolution, voxelize::kMinResolution,
                                 voxelize::kMaxResolution));
  return resolution;
}

std::vector<uint32_t> parse_axis(std::string_view text, std::string_view option) {
  constexpr uint32_t kMostValues = 1000;
  std::vector<uint32_t> values;
  for (const std::string& part : parse_names(text, option)) {
    const size_t dash = part.find('-');
    const uint32_t first = parse_value(part.substr(0, dash), option);
    const uint32_t last =
        dash == std::string::npos ? first : parse_value(std::string_view(part).substr(dash + 1), option);
    if (last < first || last - first >= kMostValues)
      throw UsageError(fmt::format("{} has '{}', expected a range such as 2-10", option, part));
    for (uint32_t i = 0; i <= last - first; ++i) values.push_back(first + i);
  }
  return values;
}

uint32_t parse_number_of(std::string_view text, std::string_view option) {
  const std::vector<uint32_t> values = parse_axis(text, option);
  if (values.size() != 1) throw UsageError(fmt::format("{} is '{}', expected one number", option, text));
  return values.front();
}

std::vector<double> parse_fractions(std::string_view text, std::string_view option) {
  std::vector<double> values;
  for (const std::string& part : parse_names(text, option)) values.push_back(parse_number(part, option));
  return values;
}

std::vector<uint64_t> parse_counts(std::string_view text, std::string_view option) {
  std::vector<uint64_t> values;
  for (const std::string& part : parse_names(text, option)) values.push_back(parse_count(part, option));
  return values;
}

std::vector<size_t> parse_choices(std::string_view text, std::string_view option,
                                  const std::vector<std::string>& known) {
  std::vector<size_t> chosen;
  for (const std::string& name : parse_names(text, option)) {
    const auto found = std::ranges::find(known, name);
    if (found == known.end())
      throw UsageError(
          fmt::format("{} has '{}', expected some of: {}", option, name, fmt::join(known, ", ")));
    const auto which = static_cast<size_t>(found - known.begin());
    if (std::ranges::find(chosen, which) == chosen.end()) chosen.push_back(which);
  }
  return chosen;
}

double parse_scale(std::string_view text, std::string_view option) {
  const size_t slash = text.find('/');
  const double above = positive(text.substr(0, slash));
  const double below = slash == std::string_view::npos ? 1 : positive(text.substr(slash + 1));
  if (above == 0 || below == 0)
    throw UsageError(
        fmt::format("{} is '{}', expected a number greater than 0 such as 1/64 or 0.5", option, text));
  return above / below;
}

std::string scale_text(double scale) {
  return scale < 1 ? fmt::format("1/{}", 1 / scale) : fmt::format("{}", scale);
}

std::string axis_text(const std::vector<uint32_t>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

}  // namespace vox
