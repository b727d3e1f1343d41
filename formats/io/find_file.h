// Finds files that other files name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace vox {

// The file that a mesh file in `folder` means by `name`: backslashes count as slashes, letter case is ignored
// where no exact match exists, %20 may stand for a space. A path that does not exist here,
// C:\art\textures\wood.png, is looked for by its last parts: textures/wood.png, then wood.png.
std::optional<std::filesystem::path> find_file(const std::filesystem::path& folder, std::string name);

}  // namespace vox
