// What Assimp reads, before the images are there.
#pragma once

#include <filesystem>
#include <vector>

#include "formats/io/child_process.h"
#include "formats/mesh/assimp_material.h"
#include "formats/mesh/mesh_options.h"
#include "libvox/scene/scene.h"

namespace vox {

struct ImportedScene {
  scene::Scene scene;  // without images; the materials' images are indices into `images`
  std::vector<ImageSource> images;
  bool texture_replaces_color = false;  // instead of multiplying it
};

// Throws Error, but Assimp may also crash, hang, or ask for any amount of memory on a damaged file: for a
// child process alone. The limit of its memory holds for Assimp and is lifted then, since what it has read
// may be placed any number of times.
ImportedScene import_with_assimp(const std::filesystem::path& path, const MeshOptions& options,
                                 ChildMemory& memory);

}  // namespace vox
