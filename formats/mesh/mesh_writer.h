// Writes a scene as a mesh file.
#pragma once

#include <filesystem>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

// The extension selects the writer: formats/mesh/obj_writer.h or formats/mesh/glb_writer.h.
bool is_written_mesh_path(const std::filesystem::path& path);
void write_mesh(const scene::Scene& scene, const std::filesystem::path& path);

// Returns all files that write_mesh() writes.
std::vector<std::filesystem::path> mesh_files(const scene::Scene& scene, const std::filesystem::path& path);

}  // namespace vox
