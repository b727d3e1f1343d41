// The texts of --help, made of a tool's description: a page of what most people need, the options of a topic, and
// everything, which manual pages and completions are made of.
#pragma once

#include <cstddef>
#include <string>

#include "tools/common/option.h"

namespace vox {

// Returns the number of characters in a line of the terminal, or the number in $COLUMNS: between 80 and 100, and 100 if
// neither is known.
size_t screen_width();

// Returns the help for `--help TOPIC`; an empty topic is the short page, and "all" is everything. Throws UsageError if
// the tool has no such topic.
std::string help_on(const ToolDescription& tool, const std::string& topic, size_t width);

}  // namespace vox
