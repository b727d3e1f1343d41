// Finds the materials of an OBJ file in its MTL files, with their textures.
#pragma once

#include <filesystem>

#include "formats/mesh/mesh_options.h"
#include "formats/mesh/obj_parse.h"

namespace vox {

// Sets the scene's materials and images, and the material of every triangle. Missing ones are named in a
// warning and replaced: a texture by the material's colour, a material by grey. `path` is the OBJ file.
// Throws BadMtl.
void add_obj_materials(ObjText& obj, const std::filesystem::path& path, const MeshOptions& options);

}  // namespace vox
