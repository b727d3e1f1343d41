#include "tools/common/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "libvox/base/error.h"

namespace vox {
namespace {

std::string digits(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

}  // namespace

bool OptionRange::holds(double value) const {
  const bool above = ends == Ends::LeastExcluded ? value > least : value >= least;
  return above && (ends == Ends::MostExcluded ? value < most : value <= most);
}

std::string OptionRange::text() const {
  const std::string low = digits(least);
  if (std::isinf(most)) return ends == Ends::LeastExcluded ? "a number above " + low : low + " or more";
  if (ends == Ends::LeastExcluded) return fmt::format("above {} and at most {}", low, digits(most));
  if (ends == Ends::MostExcluded) return fmt::format("{} or more and less than {}", low, digits(most));
  return fmt::format("{} to {}", low, digits(most));
}

std::string Option::spelled() const {
  return name == "output" ? "-o" : "--" + name;
}

std::vector<const Option*> ToolDescription::all_options() const {
  std::vector<const Option*> all;
  for (const OptionTopic& topic : topics)
    for (const Option& option : topic.options) all.push_back(&option);
  return all;
}

const Option* ToolDescription::option(std::string_view name) const {
  const auto has_name = [&](const Option* option) { return option->name == name; };
  const std::vector<const Option*> all = all_options();
  const auto found = std::ranges::find_if(all, has_name);
  if (found != all.end()) return *found;
  const auto operand = std::ranges::find(operands, name, &Option::name);
  return operand != operands.end() ? &*operand : nullptr;
}

const Option* ToolDescription::option_for(std::string_view setting) const {
  for (const Option* option : all_options()) {
    std::string name = option->setting.empty() ? option->name : option->setting;
    std::ranges::replace(name, '-', '_');
    if (name == setting) return option;
  }
  return nullptr;
}

std::vector<std::string> with_all(std::vector<std::string> names) {
  names.insert(names.begin(), "all");
  return names;
}

void check_effects(std::span<const Option> given, const RunTraits& run) {
  for (const Option& option : given)
    for (const OptionRule& rule : option.rules)
      if ((rule.traits & run.bits) == 0)
        throw UsageError(
            fmt::format("{} has no effect on {}: {}", option.spelled(), run.what, rule.otherwise));
}

}  // namespace vox
