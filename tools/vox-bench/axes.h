// The values of a benchmark's axes as one writes them on a command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vox {

// "2,4,6", "2-10", "16,32-34". Throws UsageError that names the option.
std::vector<uint32_t> parse_axis(std::string_view text, std::string_view option);

// "accel8,sector". Throws UsageError where a name is empty.
std::vector<std::string> parse_names(std::string_view text, std::string_view option);

// "1/64", "0.5", "2"; greater than 0. Throws UsageError that names the option.
double parse_scale(std::string_view text, std::string_view option);

std::string axis_text(const std::vector<uint32_t>& values);  // "2,3,4"

}  // namespace vox
