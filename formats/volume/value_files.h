// Finds the files over which a volume's header spreads its values: a list of names, or a pattern with
// numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace vox {

// True if a header's field names several files: "LIST", or "slice%03d.raw 1 100 1".
bool names_several_files(std::string_view field);

// Returns the files of "slice%03d.raw 1 100 1": a pattern, the first number, the last number and the step,
// which is optional. Throws Error that names the first file that does not exist, and if there are more than
// `most`.
std::vector<std::filesystem::path> numbered_files(std::string_view field, const std::filesystem::path& folder,
                                                  int64_t most);

// Returns the files that the lines of a text name, up to the first empty line. Throws Error in the same
// cases.
std::vector<std::filesystem::path> listed_files(std::string_view lines, const std::filesystem::path& folder,
                                                int64_t most);

}  // namespace vox
