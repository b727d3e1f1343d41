// Parses the text of an OBJ file, without its materials, in two parallel passes over pieces that end at line
// ends. The first pass counts vertices, so that the second can write them to their places and resolve
// relative indices.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/scene/scene.h"

namespace vox {

// A run has the triangles that follow one `usemtl`, `o` or `g`.
struct ObjText {
  scene::Scene scene;                     // triangles without material, no materials, no images
  std::vector<ObjectRun> groups;          // in order; triangles before the first one have no material
  std::vector<ObjectRun> objects, parts;  // the runs of `o` and of `g`
  std::vector<Polygon> polygons;          // faces with more than three corners
  std::vector<std::string> libraries;     // the text after each `mtllib`
  std::string materials_id;               // in a file that vox wrote (formats/mesh/mesh.h), or ""
};

// `path` is for messages. Throws an Error that names the line if the text cannot be parsed. A zero byte must
// follow `text`.
ObjText parse_obj(std::string_view text, const std::filesystem::path& path);

// A texture map of an MTL file, with its options. A texture coordinate (u, v), with v up, becomes (u, v) · scale +
// offset.
struct MtlMap {
  std::string file;  // as written; empty if there is no map
  std::array<double, 2> scale = {1, 1}, offset = {0, 0};
  bool clamp = false;

  friend bool operator==(const MtlMap&, const MtlMap&) = default;
};

struct MtlMaterial {
  std::string name;
  std::optional<std::array<double, 3>> color;  // Kd, by convention sRGB, within 0..1
  double opacity = 1;                          // d, or 1 - Tr
  MtlMap color_map, opacity_map;               // map_Kd, map_d
};

// Thrown for a malformed number such as 3.1+e2, with its line, and for materials that belong to another .obj file.
class BadMtl : public Error {
 public:
  using Error::Error;
};

// Reads colors, opacity and their maps, and ignores everything else. Throws BadMtl if a number is malformed. `path` is
// for messages. A zero byte must follow `text`.
std::vector<MtlMaterial> parse_mtl(std::string_view text, const std::filesystem::path& path);

// Reads the MTL files of an OBJ file: sets the scene's materials and images, and the material of every triangle. A
// warning names materials and textures that are missing. A missing texture is replaced by the material's color, a
// missing material by gray. `path` is the
// OBJ file. Throws BadMtl, and UnreadableFile (formats/io/read_file.h).
void add_obj_materials(ObjText& obj, const std::filesystem::path& path, const MeshOptions& options);

}  // namespace vox
