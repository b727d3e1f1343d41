// Finds the files that other files refer to.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libvox/base/error.h"

namespace vox {

// The folders whose files another file may name: a mesh from elsewhere must not bring the text of a file of this machine
// into a result. Symbolic links count as what they lead to.
class OpenFolders {
 public:
  OpenFolders() = default;  // all folders
  explicit OpenFolders(std::span<const std::filesystem::path> folders);
  bool hold(const std::filesystem::path& file) const;

 private:
  bool all_ = true;
  std::vector<std::filesystem::path> folders_;  // canonical
};

// The error of find_file() for a file that lies in none of the open folders.
class OutsideFile : public Error {
 public:
  explicit OutsideFile(const std::string& name);
};

// The file that a mesh file in `folder` means by `name`: backslashes count as slashes, letter case is ignored
// where no exact match exists, %20 may stand for a space. A path that does not exist here,
// C:\art\textures\wood.png, is looked for by its last parts: textures/wood.png, then wood.png. Throws OutsideFile if there
// are files of this name, but in none of the open folders.
std::optional<std::filesystem::path> find_file(const std::filesystem::path& folder, std::string name,
                                               const OpenFolders& open = {});

}  // namespace vox
