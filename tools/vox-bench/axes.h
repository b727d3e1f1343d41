// Reads the values of a benchmark's axes from the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vox {

// Reads numbers such as "2,4,6", "2-10", "16,32-34". Throws UsageError that names the option.
std::vector<uint32_t> parse_axis(std::string_view text, std::string_view option);

// Reads names such as "accel8,sector". Throws UsageError where a name is empty.
std::vector<std::string> parse_names(std::string_view text, std::string_view option);

// Reads a number greater than 0, such as "1/64", "0.5", "2". Throws UsageError that names the option.
double parse_scale(std::string_view text, std::string_view option);

std::string axis_text(const std::vector<uint32_t>& values);  // "2,3,4"

}  // namespace vox
