// Writes a scene as OBJ, with an MTL file and PNG textures beside it.
#pragma once

#include <filesystem>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

// Writes PATH, and beside it STEM.mtl and STEM_IMAGE.png for each image. Numbers are written so that reading
// gives exactly the same values. Triangles are grouped by material. MTL cannot express everything: a mirrored
// texture is written as repeated, a cutoff other than 0.5 is lost, and vertex colours are left out. Throws
// Error.
void write_obj(const scene::Scene& scene, const std::filesystem::path& path);

// Returns all files that write_obj() writes.
std::vector<std::filesystem::path> obj_files(const scene::Scene& scene, const std::filesystem::path& path);

}  // namespace vox
