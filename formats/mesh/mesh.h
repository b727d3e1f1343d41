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

#include "formats/io/read_file.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/mesh_faults.h"

namespace vox {

// Decides about the unit of positions.
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

// True if this build has the library for the glTF extension.
bool can_read_meshopt();
bool can_read_draco();

// Throws an Error that names the first extension in `required` (a glTF file's extensionsRequired) that is not
// supported, because the meaning of the file's content is then unknown.
void check_gltf_extensions(const std::vector<std::string>& required);

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

// Returns the bytes before the payload of a .glb file: its header, the JSON chunk, and the head of the binary chunk
// (glTF 2.0, §4.4). All together must be smaller than 4 GiB.
std::string glb_head(std::string json, uint64_t payload);

// An .obj file and its .mtl file belong together. The first lines of both hold a number that is computed from the
// materials, so that a reader notices files of different results, as a power failure between two renames can leave.
std::string id_of_materials(std::string_view mtl, std::span<const std::string> textures = {});
std::string obj_first_line(const std::string& counts, const std::string& id);
std::string mtl_first_line(const std::string& id);
// Returns the number in an .obj or .mtl file of vox, or "" if there is none.
std::string_view materials_id(std::string_view file);

// Writes a scene as OBJ: PATH, and beside it STEM.mtl and STEM_IMAGE.png for each image. Reading gives exactly the
// same numbers. Triangles are grouped by material. MTL cannot express everything: a mirrored texture
// is written as repeated, a cutoff other than 0.5 is lost, and vertex colors are left out. Throws
// Error.
void write_obj(const scene::Scene& scene, const std::filesystem::path& path);

// Returns all files that write_obj() writes.
std::vector<std::filesystem::path> obj_files(const scene::Scene& scene, const std::filesystem::path& path);

// Writes a scene as glTF 2.0 in one binary file (.glb): one mesh with one primitive for each material, with PNG
// images embedded. Positions become 32-bit
// floats. If only some triangles of a material have texture coordinates, the others get (0, 0). Vertex
// colors are left out. Throws Error, for example if the file would exceed the 4 GiB that the format allows.
void write_glb(const scene::Scene& scene, const std::filesystem::path& path);

// Writes the faults of a mesh and their places, object by object (vox-convert --report).

// The first value of the file, its mark.
inline constexpr std::string_view kMeshReport = "vox mesh faults 1";

// JSON. Objects without faults are only counted, and of others the first kMostReportedObjects are listed:
//
//   format      "vox mesh faults 1"
//   unit        of the positions: "m" or "units"
//   open_edges, non_manifold_edges, turned_triangles, crossings     complete counts
//   objects     the number of objects, of which objects_at_fault have faults
//   faults      a list of objects: name, triangles, their counts, and places, in which each kind has a list of
//               {"x", "y", "z", "triangle"}; "other" is the second of two triangles that cross
inline constexpr size_t kMostReportedObjects = 1000;
std::string mesh_report_text(const voxelize::MeshFaults& faults, scene::LengthUnit unit);
void write_mesh_report(const std::filesystem::path& path, const voxelize::MeshFaults& faults,
                       scene::LengthUnit unit);

// Returns "3 open edges, 1 edge of more than two triangles, …"
std::string faults_text(const voxelize::MeshFaults& faults);

// Helpers that readers and writers of several mesh formats share: polygons, groups of triangles, textures, and a check.

// Mesh readers cut polygons with more than three corners into fans of triangles.

// The place of a polygon's triangles (0, 1, 2), (0, 2, 3), … in a scene.
struct Polygon {
  uint64_t first_triangle;
  uint32_t corners;
};

// Replaces the triangles of concave polygons, which a fan does not cover exactly, by as many ears (Meisters
// 1975). Corners keep their positions and texture coordinates.
void cut_concave_polygons(scene::Scene& scene, std::span<const Polygon> polygons);

// Throws Error if a scene with all instances of its meshes is too large for indices or for the memory. A small file can
// place a mesh many times.
void check_scene_fits(uint64_t triangles, uint64_t positions, uint64_t texcoords, bool colored);

// A run of triangles of an object, up to those of the next run. Several runs may belong to one object.
struct ObjectRun {
  uint64_t first_triangle;
  std::string name;
};

// Calls body(first triangle, end, name) for the runs of `all` triangles; those before the first run have no name.
template <class Body>
void for_each_run(std::span<const ObjectRun> runs, uint64_t all, const Body& body) {
  body(0, runs.empty() ? all : runs[0].first_triangle, "");
  for (size_t i = 0; i < runs.size(); ++i)
    body(runs[i].first_triangle, i + 1 < runs.size() ? runs[i + 1].first_triangle : all, runs[i].name);
}

// Gives each object a copy of every material that its triangles have. The runs are in the order of their triangles;
// triangles before the first one belong to an object without a name.
void split_by_object(scene::Scene& scene, std::span<const ObjectRun> runs);

// Groups the triangles of a scene by material, as in mesh files.
class MaterialGroups {
 public:
  explicit MaterialGroups(const scene::Scene& scene);

  // Returns the triangles of one material, in the scene's order, as indices into Scene::triangles.
  std::span<const uint32_t> of(uint32_t material) const {
    return {order_.data() + first_[material], order_.data() + first_[material + 1]};
  }

 private:
  std::vector<uint32_t> order_;
  std::vector<uint64_t> first_;
};

// Returns the folders whose files this mesh file may name.
OpenFolders open_folders(const std::filesystem::path& mesh, const MeshOptions& options);

class TextureFiles {
 public:
  TextureFiles(std::filesystem::path mesh, const MeshOptions& options);

  // Finds the texture that the mesh file means by `name` (find_file()): beside the mesh, else in one of
  // MeshOptions::texture_paths. A texture that is not found, or lies outside of the open folders, is remembered.
  std::optional<std::filesystem::path> find(const std::string& name);

  // Does the same for a name in another file, such as an MTL, whose folder is searched first.
  std::optional<std::filesystem::path> find(const std::string& name, const std::filesystem::path& folder);

  // Gives one warning for all textures that were not found, and one for those outside. Call it once, after the last
  // find().
  void warn_of_missing() const;

 private:
  std::optional<std::filesystem::path> find_in(std::span<const std::filesystem::path> folders,
                                               const std::string& name);

  std::filesystem::path mesh_;
  std::vector<std::filesystem::path> folders_;
  OpenFolders open_;
  std::vector<std::string> missing_, outside_;  // each name once, in the order of first search
};

}  // namespace vox
