// Writes results as one JSON object.
#pragma once

#include <string>

#include "libvox/measure/results.h"

namespace vox {

// The text is indented by two spaces and has no newline at the end. Keys are in the order in which the values
// were set.
std::string json_text(const measure::ResultGroup& results);

}  // namespace vox
