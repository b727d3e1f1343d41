// Makes a manual page of the help, which `man vox-convert` shows.
#pragma once

#include <string>

#include "tools/common/help_parts.h"

namespace vox {

// The page in the language of man(7), with lines that fit a terminal of 80 characters. `generator` is "vox
// 0.1.0".
std::string manual_page(const HelpParts& parts, const std::string& generator);

}  // namespace vox
