// What Assimp reads, before the images are there.
#pragma once

#include <filesystem>
#include <vector>

#include "formats/assimp_material.h"
#include "libvox/scene/scene.h"

namespace vox {

struct ImportedScene {
  Scene scene;  // without images; the materials' images are indices into `images`
  std::vector<ImageSource> images;
  bool texture_replaces_color = false;  // instead of multiplying it
};

// Throws Error, but Assimp may also crash or hang on a damaged file.
ImportedScene import_with_assimp(const std::filesystem::path& path);

}  // namespace vox
