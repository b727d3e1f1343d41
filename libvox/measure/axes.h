// What all benchmarks check of their axes, and how a scale gives sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libvox/base/phrase.h"

namespace vox::measure {

// Throw UsageError where an axis has no value, or one that it does not know.
void check_axis(const std::vector<uint32_t>& values, Phrase axis, uint32_t low, uint32_t high);
void check_names(const std::vector<std::string>& names, const std::vector<std::string>& known, Phrase axis);

// Rounded.
uint64_t scaled(uint64_t count, double scale);

// The names of `known` that were chosen, in this order, whichever was named first; all where none was.
std::vector<std::string> chosen_names(const std::vector<std::string>& chosen, std::vector<std::string> known);

}  // namespace vox::measure
