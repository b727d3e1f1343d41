// Parses the text of an OBJ file, without its materials, in two parallel passes over pieces that end at line
// ends. The first pass counts vertices, so that the second can write them to their places and resolve
// relative indices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "formats/mesh/polygon.h"
#include "libvox/scene/scene.h"

namespace vox {

// The triangles that follow one `usemtl`.
struct ObjGroup {
  uint64_t first_triangle;
  std::string material;
};

struct ObjText {
  scene::Scene scene;                  // triangles without material, no materials, no images
  std::vector<ObjGroup> groups;        // in order; triangles before the first one have no material
  std::vector<Polygon> polygons;       // faces with more than three corners
  std::vector<std::string> libraries;  // the text after each `mtllib`
};

// `path` is for messages. Throws an Error that names the line if the text cannot be parsed. A zero byte must
// follow `text`.
ObjText parse_obj(std::string_view text, const std::filesystem::path& path);

}  // namespace vox
