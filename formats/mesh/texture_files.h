// Finds the textures of one mesh file and remembers the missing ones.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/mesh/mesh_options.h"

namespace vox {

class TextureFiles {
 public:
  TextureFiles(std::filesystem::path mesh, const MeshOptions& options);

  // Finds the texture that the mesh file refers to as `name` (find_file()): beside the mesh, or else in one
  // of MeshOptions::texture_paths. A texture that is not found is remembered.
  std::optional<std::filesystem::path> find(const std::string& name);

  // Does the same for a name in another file, such as an MTL, whose folder is searched first.
  std::optional<std::filesystem::path> find(const std::string& name, const std::filesystem::path& folder);

  // Logs one warning for all textures that were not found. Must be called once, after the last find().
  void warn_of_missing() const;

 private:
  std::filesystem::path mesh_;
  std::vector<std::filesystem::path> folders_;
  std::vector<std::string> missing_;  // each name once, in order
};

}  // namespace vox
