// Writes a scene as a mesh file.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

// The extension selects the writer: formats/mesh/mesh_writer.h or formats/mesh/mesh_writer.h.
bool is_written_mesh_path(const std::filesystem::path& path);
void write_mesh(const scene::Scene& scene, const std::filesystem::path& path);

// Returns all files that write_mesh() writes.
std::vector<std::filesystem::path> mesh_files(const scene::Scene& scene, const std::filesystem::path& path);

// The marks of vox's mesh files; the surfaces of voxels (formats/voxels/surfaces) have them, too.
inline constexpr std::string_view kObjMark =
    "made by vox";                                   // the end of the first line of .obj and .mtl files
inline constexpr const char* kGlbGenerator = "vox";  // the generator of .glb files
bool is_obj_of_vox(std::string_view file);           // or .mtl
bool is_glb_of_vox(std::string_view file);

// An .obj file and its .mtl file are two files of one result. The first lines of both hold a number that is computed from the
// materials, so that a reader notices files of two results, such as a power failure between two renames leaves.
std::string id_of_materials(std::string_view mtl, std::span<const std::string> textures = {});
std::string obj_first_line(const std::string& counts, const std::string& id);
std::string mtl_first_line(const std::string& id);
// Returns the number in an .obj or .mtl file of vox, or "" if there is none.
std::string_view materials_id(std::string_view file);

// Writes a scene as OBJ, with an MTL file and PNG textures beside it.

// Writes PATH, and beside it STEM.mtl and STEM_IMAGE.png for each image. Numbers are written so that reading
// gives exactly the same values. Triangles are grouped by material. MTL cannot express everything: a mirrored
// texture is written as repeated, a cutoff other than 0.5 is lost, and vertex colours are left out. Throws
// Error.
void write_obj(const scene::Scene& scene, const std::filesystem::path& path);

// Returns all files that write_obj() writes.
std::vector<std::filesystem::path> obj_files(const scene::Scene& scene, const std::filesystem::path& path);

// Writes a scene as glTF 2.0 in one binary file (.glb).

// Writes one mesh with one primitive for each material, with PNG images embedded. Positions become 32-bit
// floats. If only some triangles of a material have texture coordinates, the others get (0, 0). Vertex
// colours are left out. Throws Error, for example if the file would exceed the 4 GiB that the format allows.
void write_glb(const scene::Scene& scene, const std::filesystem::path& path);

}  // namespace vox
