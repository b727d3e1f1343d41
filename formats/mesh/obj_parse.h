// The text of an OBJ file, without its materials: read in two parallel passes over pieces that end at line
// ends. The first counts vertices, so that the second can write them to their places and resolve relative
// indices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "formats/mesh/polygon.h"
#include "libvox/scene/scene.h"

namespace vox {

// Triangles that follow one `usemtl`.
struct ObjGroup {
  uint64_t first_triangle;
  std::string material;
};

struct ObjText {
  scene::Scene scene;                  // triangles without material, no materials, no images
  std::vector<ObjGroup> groups;        // in order; triangles before the first one have no material
  std::vector<Polygon> polygons;       // of more than three corners
  std::vector<std::string> libraries;  // what follows `mtllib`, one text per line
};

// `path` is for messages. Throws Error with the line of what cannot be understood. A zero byte follows
// `text`.
ObjText parse_obj(std::string_view text, const std::filesystem::path& path);

}  // namespace vox
