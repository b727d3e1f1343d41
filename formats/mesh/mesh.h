// Reads any mesh file as a Scene: OBJ, glTF, OFF, PLY and STL with our own readers, all others with Assimp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libvox/dag/voxel_scene.h"
#include "libvox/scene/scene.h"

namespace vox {

// The options that a user may give for a mesh file.

enum class MeshUnits {
  File,  // convert to metres if the file states its unit (FBX, COLLADA; glTF is in metres already)
  Keep   // keep the file's numbers
};

// Says if textures, materials and buffers are read that a mesh file names, but that lie neither below its folder nor
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

// Chooses the reader by the extension, then by the content. In the returned scene y points up. Throws an
// Error that names the file and, if there is one, the line.
scene::Scene read_mesh(const std::filesystem::path& path, const MeshOptions& options = {});

// Several files as one scene, without the triangles that cover nothing.
struct MeshFiles {
  scene::Scene scene;
  scene::DroppedTriangles dropped;
};

// `paths` must hold at least one path. Throws Error if there are no triangles.
MeshFiles read_meshes(std::span<const std::filesystem::path> paths, const MeshOptions& options = {});

// Looks only at the extension.
bool is_mesh_path(const std::filesystem::path& path);

// The readers of one format each. If MeshOptions::up names an axis, they do not rotate the scene; read_mesh()
// does.
scene::Scene read_obj(const std::filesystem::path& path,
                      const MeshOptions& options = {});  // with its MTL files
scene::Scene read_gltf(const std::filesystem::path& path, const MeshOptions& options = {});  // .gltf and .glb
scene::Scene read_off(const std::filesystem::path& path, const MeshOptions& options = {});
scene::Scene read_ply(const std::filesystem::path& path, const MeshOptions& options = {});
scene::Scene read_stl(const std::filesystem::path& path, const MeshOptions& options = {});
// FBX, 3DS, COLLADA, … (and OBJ, OFF, PLY, STL for tests).
scene::Scene read_assimp(const std::filesystem::path& path, const MeshOptions& options = {});

// The supported extensions of glTF. A file that requires another one is refused, because the meaning of its
// content is unknown.

// True if this build has the library for the extension.
bool can_read_meshopt();
bool can_read_draco();

// Throws an Error that names the first extension in `required` (the file's extensionsRequired) that is not
// supported.
void check_gltf_extensions(const std::vector<std::string>& required);

}  // namespace vox
