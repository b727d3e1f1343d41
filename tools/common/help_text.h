// Makes the text that --help prints: descriptions of all options in one column, in lines that fit the screen.
#pragma once

#include <cstddef>
#include <string>

#include "tools/common/help_parts.h"

namespace vox {

// The characters in a line of the terminal, or the number in $COLUMNS; between 80 and 100, and 100 where
// neither is known.
size_t screen_width();

// A description in lines of the width: paragraphs are filled; lines that are indented stay as they are where
// they fit, and hang below their last column where they do not.
std::string filled_about(const std::string& text, size_t width);

// The description, the usage and the options.
std::string help_text(const HelpParts& parts, size_t width);

}  // namespace vox
