// Any mesh file → Scene. OBJ, PLY and STL are read by our own readers, everything else by Assimp.
#pragma once

#include <filesystem>

#include "libvox/scene/scene.h"

namespace vox {

// Throws Error that names the file, and the line where there is one. Chooses by the extension, then by
// content.
Scene read_mesh(const std::filesystem::path& path);

// By the extension alone.
bool is_mesh_path(const std::filesystem::path& path);

Scene read_obj(const std::filesystem::path& path);  // with its MTL files
Scene read_ply(const std::filesystem::path& path);
Scene read_stl(const std::filesystem::path& path);
Scene read_assimp(
    const std::filesystem::path& path);  // glTF/GLB, FBX, OFF, 3DS, COLLADA, … (and OBJ, PLY, STL for tests)

}  // namespace vox
