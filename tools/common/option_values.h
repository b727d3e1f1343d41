// Reads values of options that are one of a few words, or several numbers.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cxxopts.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/voxelize/grid.h"

namespace vox {

// The parts between commas: at least one, which may be empty.
std::vector<std::string_view> comma_separated(std::string_view text);

// Reads `count` numbers with commas between them. Throws UsageError that names the option and what is
// `expected`.
std::vector<double> parse_numbers(const std::string& text, const std::string& option, size_t count,
                                  const char* expected);

// Reads a box of six numbers, each side of which has a length. Throws UsageError that names the option.
voxelize::Box parse_box(const std::string& text, const std::string& option);

// The value of --option, one of these names. Throws UsageError that lists them.
std::string parse_name(const cxxopts::ParseResult& parsed, const std::string& option,
                       const std::vector<std::string>& names);

// Returns the entry that the value of --option stands for. Throws UsageError that lists all values.
template <class T>
T parse_choice(const cxxopts::ParseResult& parsed, const std::string& option,
               const std::vector<std::pair<std::string, T>>& choices) {
  const auto text = parsed[option].as<std::string>();
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    names.push_back(name);
  }
  throw UsageError(fmt::format("--{} is '{}', expected one of: {}", option, text, fmt::join(names, ", ")));
}

}  // namespace vox
