// Finds the files that one mesh file names, and remembers which of its textures are missing.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/io/find_file.h"
#include "formats/mesh/mesh_options.h"

namespace vox {

// The folders whose files this mesh file may name.
OpenFolders open_folders(const std::filesystem::path& mesh, const MeshOptions& options);

class TextureFiles {
 public:
  TextureFiles(std::filesystem::path mesh, const MeshOptions& options);

  // Finds the texture that the mesh file means by `name` (find_file()): beside the mesh, else in one of
  // MeshOptions::texture_paths. A texture that is nowhere, or outside of the open folders, is remembered.
  std::optional<std::filesystem::path> find(const std::string& name);

  // Does the same for a name in another file, such as an MTL, whose folder is searched first.
  std::optional<std::filesystem::path> find(const std::string& name, const std::filesystem::path& folder);

  // Gives one warning for all textures that were not found, and one for those outside. Call it once, after the last
  // find().
  void warn_of_missing() const;

 private:
  std::optional<std::filesystem::path> find_in(std::span<const std::filesystem::path> folders,
                                               const std::string& name);

  std::filesystem::path mesh_;
  std::vector<std::filesystem::path> folders_;
  OpenFolders open_;
  std::vector<std::string> missing_, outside_;  // each name once, in order
};

}  // namespace vox
