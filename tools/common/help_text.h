// What --help prints: descriptions of all options in one column, lines that fit the screen.
#pragma once

#include <cstddef>
#include <cxxopts.hpp>
#include <string>
#include <vector>

namespace vox {

// Characters a line of the terminal, or as $COLUMNS says; 80 to 100, and 100 where nobody knows.
size_t screen_width();

// The description, the usage and the options of these groups. Paragraphs of the description are filled;
// lines that are indented stay as they are where they fit, and hang below their last column where they do
// not.
std::string help_text(const cxxopts::Options& options, const std::vector<std::string>& groups, size_t width);

}  // namespace vox
