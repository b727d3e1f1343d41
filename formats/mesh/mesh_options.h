// The options that a user may give for a mesh file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "libvox/dag/voxel_scene.h"

namespace vox {

enum class MeshUnits {
  File,  // convert to metres if the file states its unit (FBX, COLLADA; glTF is in metres already)
  Keep   // keep the file's numbers
};

// What happens to textures, materials and buffers that a mesh file names, but that lie neither below its folder nor
// below one of MeshOptions::texture_paths.
enum class OutsideFiles { Refuse, Read };

struct MeshOptions {
  // The axis of the file's own coordinates that points up, whatever the file says. If absent, it is the axis
  // that the file names (COLLADA, FBX), or y if the file names none.
  std::optional<dag::UpAxis> up = std::nullopt;
  MeshUnits units = MeshUnits::File;
  // Folders that are searched for textures that are not beside the mesh.
  std::vector<std::filesystem::path> texture_paths = {};
  OutsideFiles outside = OutsideFiles::Refuse;
};

// The maximum number of triangles, including those of instances, that readers make from a file.
inline constexpr uint64_t kMaxTriangles = uint64_t{1} << 31;

}  // namespace vox
