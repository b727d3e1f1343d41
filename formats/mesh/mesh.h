// Reads any mesh file as a Scene: OBJ, glTF, OFF, PLY and STL with our own readers, all others with Assimp.
#pragma once

#include <filesystem>
#include <span>

#include "formats/mesh/mesh_options.h"
#include "libvox/scene/scene.h"

namespace vox {

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

}  // namespace vox
