// Writes results as one JSON object.
#pragma once

#include <string>

#include "libvox/measure/results.h"

namespace vox {

// Returns text that is indented by two spaces and has no newline at the end. Keys have the order in which the
// values were set.
std::string json_text(const measure::ResultGroup& results);

}  // namespace vox
