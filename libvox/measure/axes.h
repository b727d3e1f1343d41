// Checks the axes of a benchmark, which are the lists of values that it measures, and scales its sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libvox/base/phrase.h"

namespace vox::measure {

// These functions throw UsageError if an axis has no value, or one that is not allowed.
void check_axis(const std::vector<uint32_t>& values, Phrase axis, uint32_t low, uint32_t high);
void check_load_factors(const std::vector<double>& values);  // of tables of voxel keys; at most 1
void check_filters(const std::vector<uint32_t>& sides);      // sides of mean filters, in voxels
void check_picture_side(uint32_t pixels);                    // the side of a square picture; 0 means none
void check_names(const std::vector<std::string>& names, const std::vector<std::string>& known, Phrase axis);

// Returns count · scale, rounded.
uint64_t scaled(uint64_t count, double scale);

// Returns the chosen names in the order of `known`, or all of `known` if none was chosen.
std::vector<std::string> chosen_names(const std::vector<std::string>& chosen, std::vector<std::string> known);

}  // namespace vox::measure
