// Helpers that readers and writers of several mesh formats share: polygons, groups of triangles, textures, and a check.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/io/read_file.h"
#include "formats/mesh/mesh.h"
#include "libvox/scene/scene.h"

namespace vox {

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

// The next function keeps the objects of a mesh apart.

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

// A mesh can have implausible numbers, for example if bytes were interpreted as the wrong type.

// Logs a warning if a scene is wider than 1e15, or if all coordinates are below 1e-30. `path` is for the
// message.
void warn_of_implausible(const scene::Scene& scene, const std::filesystem::path& path);

// TextureFiles finds the files that a mesh file names, and remembers which textures are missing.

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
