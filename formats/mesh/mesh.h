// Reads any mesh file as a Scene: OBJ, glTF, OFF, PLY and STL with our own readers, all others with Assimp. Writes a
// scene as OBJ or glTF.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libvox/dag/voxel_scene.h"
#include "libvox/scene/scene.h"

namespace vox {

// The options that a user may give for a mesh file.

enum class MeshUnits {
  File,  // convert to meters if the file states its unit (FBX, COLLADA; glTF uses meters)
  Keep   // keep the file's numbers
};

// Decides about textures, materials and buffers that a mesh file names, but that are neither below its folder nor
// below one of MeshOptions::texture_paths.
enum class OutsideFiles { Refuse, Read };

// Decides if triangles of different objects may share a material. If objects are kept apart, each has materials of its
// own with the object's name in scene::Material::object. The name is that of OBJ's `o`, or of `g` in a file without
// `o`; in files with a tree of nodes, that of the node that shows the mesh; else the file's name without its extension.
enum class MeshObjects { Joined, Apart };

struct MeshOptions {
  // The axis of the file's coordinates that points up; it overrides the file. If absent, it is the axis that
  // the file names (COLLADA, FBX), or y if the file names none.
  std::optional<dag::UpAxis> up = std::nullopt;
  MeshUnits units = MeshUnits::File;
  double meters_per_unit = 0;  // with MeshUnits::Keep: the length of the file's unit if known
  // Folders that are searched for textures that are not beside the mesh.
  std::vector<std::filesystem::path> texture_paths = {};
  OutsideFiles outside = OutsideFiles::Refuse;
  MeshObjects objects = MeshObjects::Joined;
};

// The maximum number of triangles, including those of instances, that readers make from a file.
inline constexpr uint64_t kMaxTriangles = uint64_t{1} << 31;

// Chooses the reader by the extension, then by the content. In the returned scene y points up. Throws an
// Error that names the file and, if there is one, the line.
scene::Scene read_mesh(const std::filesystem::path& path, const MeshOptions& options = {});

// Several files as one scene, without triangles that cover nothing.
struct MeshFiles {
  scene::Scene scene;
  scene::DroppedTriangles dropped;
};

// `paths` must hold at least one path. Throws Error if there are no triangles.
MeshFiles read_meshes(std::span<const std::filesystem::path> paths, const MeshOptions& options = {});

// True if the extension is that of a mesh.
bool is_mesh_path(const std::filesystem::path& path);

// These functions read one format each. If MeshOptions::up names an axis, they do not rotate the scene, but
// read_mesh() does.
scene::Scene read_obj(const std::filesystem::path& path,
                      const MeshOptions& options = {});  // with its MTL files
scene::Scene read_gltf(const std::filesystem::path& path, const MeshOptions& options = {});  // .gltf and .glb
scene::Scene read_off(const std::filesystem::path& path, const MeshOptions& options = {});
scene::Scene read_ply(const std::filesystem::path& path, const MeshOptions& options = {});
scene::Scene read_stl(const std::filesystem::path& path, const MeshOptions& options = {});
// FBX, 3DS, COLLADA, … (and OBJ, OFF, PLY, STL for tests).
scene::Scene read_assimp(const std::filesystem::path& path, const MeshOptions& options = {});

// Some extensions of glTF are supported. A file that requires another one is refused, because the meaning
// of its content is unknown.

// True if this build has the library for the extension.
bool can_read_meshopt();
bool can_read_draco();

// Throws an Error that names the first extension in `required` (the file's extensionsRequired) that is not
// supported.
void check_gltf_extensions(const std::vector<std::string>& required);

// The rest of this header writes a scene as a mesh file.

// True if a mesh can be written with this extension, which selects the writer.
bool is_written_mesh_path(const std::filesystem::path& path);
void write_mesh(const scene::Scene& scene, const std::filesystem::path& path);

// Returns all files that write_mesh() writes.
std::vector<std::filesystem::path> mesh_files(const scene::Scene& scene, const std::filesystem::path& path);

// The marks of vox's mesh files. Surfaces of voxels (formats/voxels/surfaces) have them, too.
inline constexpr std::string_view kObjMark =
    "made by vox";                                   // the end of the first line of .obj and .mtl files
inline constexpr const char* kGlbGenerator = "vox";  // the generator of .glb files
bool is_obj_of_vox(std::string_view file);           // also for .mtl files
bool is_glb_of_vox(std::string_view file);

// Returns what stands before the payload of a .glb file: its header, the JSON chunk, and the head of the binary chunk
// (glTF 2.0, §4.4). All together must be smaller than 4 GiB.
std::string glb_head(std::string json, uint64_t payload);

// An .obj file and its .mtl file belong together. The first lines of both hold a number that is computed from the
// materials, so that a reader notices files of different results, as a power failure between two renames can leave.
std::string id_of_materials(std::string_view mtl, std::span<const std::string> textures = {});
std::string obj_first_line(const std::string& counts, const std::string& id);
std::string mtl_first_line(const std::string& id);
// Returns the number in an .obj or .mtl file of vox, or "" if there is none.
std::string_view materials_id(std::string_view file);

// These functions write a scene as OBJ, with an MTL file and PNG textures beside it.

// Writes PATH, and beside it STEM.mtl and STEM_IMAGE.png for each image. Reading gives exactly the
// same numbers. Triangles are grouped by material. MTL cannot express everything: a mirrored texture
// is written as repeated, a cutoff other than 0.5 is lost, and vertex colors are left out. Throws
// Error.
void write_obj(const scene::Scene& scene, const std::filesystem::path& path);

// Returns all files that write_obj() writes.
std::vector<std::filesystem::path> obj_files(const scene::Scene& scene, const std::filesystem::path& path);

// The next function writes a scene as glTF 2.0 in one binary file (.glb).

// Writes one mesh with one primitive for each material, with PNG images embedded. Positions become 32-bit
// floats. If only some triangles of a material have texture coordinates, the others get (0, 0). Vertex
// colors are left out. Throws Error, for example if the file would exceed the 4 GiB that the format allows.
void write_glb(const scene::Scene& scene, const std::filesystem::path& path);

}  // namespace vox
