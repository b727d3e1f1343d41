// Checks the axes of a benchmark, which are the lists of values that it measures, and scales its sizes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vox::measure {

// Throw UsageError where an axis has no value, or one that it does not know.
void check_axis(const std::vector<uint32_t>& values, std::string_view axis, uint32_t low, uint32_t high);
void check_load_factors(const std::vector<double>& values);  // of tables of voxel keys, 1 at most
void check_filters(const std::vector<uint32_t>& sides);      // mean filters, in voxels
void check_picture_side(uint32_t pixels);                    // of a square picture; 0 stands for none
void check_names(const std::vector<std::string>& names, const std::vector<std::string>& known,
                 std::string_view axis);

// Returns count · scale, rounded.
uint64_t scaled(uint64_t count, double scale);

// Returns the chosen names in the order of `known`, or all of `known` if none was chosen.
std::vector<std::string> chosen_names(const std::vector<std::string>& chosen, std::vector<std::string> known);

}  // namespace vox::measure
