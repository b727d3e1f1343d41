// Finds the materials that an OBJ file names in its MTL files, with their textures.
#pragma once

#include <filesystem>

#include "formats/mesh/mesh_options.h"
#include "formats/mesh/obj_parse.h"

namespace vox {

// Fills the scene's materials and images and gives every triangle its material. Missing ones are named in a
// warning and replaced: a texture by the material's colour, a material by grey. `path` is the OBJ file.
// Throws BadMtl.
void add_obj_materials(ObjText& obj, const std::filesystem::path& path, const MeshOptions& options);

}  // namespace vox
