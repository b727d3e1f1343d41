// Where the textures of one mesh file are, and which of them are missing.
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

  // The texture that the mesh file means by `name` (find_file()): beside the mesh, else in one of
  // MeshOptions::texture_paths. What is nowhere is remembered.
  std::optional<std::filesystem::path> find(const std::string& name);

  // The same for a name in another file, such as an MTL, whose folder comes first.
  std::optional<std::filesystem::path> find(const std::string& name, const std::filesystem::path& folder);

  // One warning for all that were not found. Call it once, after the last find().
  void warn_of_missing() const;

 private:
  std::filesystem::path mesh_;
  std::vector<std::filesystem::path> folders_;
  std::vector<std::string> missing_;  // each name once, in order
};

}  // namespace vox
