// Finds the files that other files refer to.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace vox {

// Finds the file that a mesh file in `folder` refers to as `name`. Backslashes count as slashes, letter case
// is ignored if there is no exact match, and %20 may stand for a space. If the path does not exist, as with
// C:\art\textures\wood.png, its last parts are tried: textures/wood.png, then wood.png.
std::optional<std::filesystem::path> find_file(const std::filesystem::path& folder, std::string name);

}  // namespace vox
