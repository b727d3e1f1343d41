// Reads the values of a benchmark's axes from the command line.
#pragma once

#include <array>
#include <cstdint>
#include <cxxopts.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vox {

// The text of an option, where it is given.
std::optional<std::string> given(const cxxopts::ParseResult& parsed, const std::string& option);

// The number that an option is, not a list of them, where it is given. Throws UsageError.
std::optional<uint32_t> one_number(const cxxopts::ParseResult& parsed, const std::string& option);

// The value of --res, where it is given: the resolution of a scene. Throws UsageError.
std::optional<uint32_t> read_resolution(const cxxopts::ParseResult& parsed);

// Reads numbers such as "2,4,6", "2-10", "16,32-34". Throws UsageError that names the option.
std::vector<uint32_t> parse_axis(std::string_view text, std::string_view option);

// Reads one such number. Throws UsageError that names the option.
uint32_t parse_number_of(std::string_view text, std::string_view option);

// Reads numbers such as "0.5,0.99". Throws UsageError that names the option.
std::vector<double> parse_fractions(std::string_view text, std::string_view option);

// Reads counts such as "64K,2^20". Throws UsageError that names the option.
std::vector<uint64_t> parse_counts(std::string_view text, std::string_view option);

// Reads names such as "accel8,sector". Throws UsageError where a name is empty.
std::vector<std::string> parse_names(std::string_view text, std::string_view option);

// Reads a number greater than 0, such as "1/64", "0.5", "2". Throws UsageError that names the option.
double parse_scale(std::string_view text, std::string_view option);

// Which of the known names the text lists, by number, none twice.
std::vector<size_t> parse_choices(std::string_view text, std::string_view option,
                                  const std::vector<std::string>& known);

// Reads names of values of an Enum that counts from 0; `known` has the name of each. Throws UsageError that names
// the option.
template <class Enum, size_t kCount>
std::vector<Enum> parse_choices(std::string_view text, std::string_view option,
                                const std::array<const char*, kCount>& known) {
  std::vector<Enum> chosen;
  for (const size_t which : parse_choices(text, option, std::vector<std::string>(known.begin(), known.end())))
    chosen.push_back(static_cast<Enum>(which));
  return chosen;
}

std::string axis_text(const std::vector<uint32_t>& values);  // "2,3,4"
std::string scale_text(double scale);                        // "1/64"

}  // namespace vox
