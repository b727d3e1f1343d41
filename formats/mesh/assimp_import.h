// Reads mesh files with Assimp, without loading their images.
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

// Throws Error. For a damaged file Assimp may also crash, hang, or ask for any amount of memory, so only a
// child process may call this. The child's memory limit holds while Assimp reads and is lifted afterwards,
// because meshes may be placed any number of times.
ImportedScene import_with_assimp(const std::filesystem::path& path, const MeshOptions& options,
                                 ChildMemory& memory);

}  // namespace vox
