// The files that the header of a volume spreads its values over: a list of names, or a pattern with numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace vox {

// Whether a header names several files: "LIST", or "slice%03d.raw 1 100 1".
bool names_several_files(std::string_view field);

// The files of "slice%03d.raw 1 100 1": pattern, first number, last, and the step between them, which may be
// left out. Throws Error for the first that does not exist, and where there are more than `most`.
std::vector<std::filesystem::path> numbered_files(std::string_view field, const std::filesystem::path& folder,
                                                  int64_t most);

// The files that the lines of a text name, up to an empty one. Likewise.
std::vector<std::filesystem::path> listed_files(std::string_view lines, const std::filesystem::path& folder,
                                                int64_t most);

}  // namespace vox
