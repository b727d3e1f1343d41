// What the user says about a mesh file besides its name.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "libvox/dag/voxel_scene.h"

namespace vox {

enum class MeshUnits {
  File,  // metres, where the file says what its numbers are (FBX, COLLADA; glTF's are metres already)
  Keep   // the file's numbers
};

struct MeshOptions {
  // The axis of the file's own coordinates that points up, whatever the file says. None: the file's own
  // (COLLADA, FBX), y where it names none.
  std::optional<dag::UpAxis> up = std::nullopt;
  MeshUnits units = MeshUnits::File;
  // Folders to look into for textures that are not beside the mesh.
  std::vector<std::filesystem::path> texture_paths = {};
};

}  // namespace vox
