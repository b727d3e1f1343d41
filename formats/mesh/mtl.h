// Reads MTL files, which hold the materials of OBJ files.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libvox/base/error.h"

namespace vox {

// A texture map with its options. A texture coordinate (u, v), v up, becomes (u, v) · scale + offset.
struct MtlMap {
  std::string file;  // as written; empty where there is no map
  std::array<double, 2> scale = {1, 1}, offset = {0, 0};
  bool clamp = false;

  friend bool operator==(const MtlMap&, const MtlMap&) = default;
};

struct MtlMaterial {
  std::string name;
  std::optional<std::array<double, 3>> color;  // Kd, sRGB by habit, within 0..1
  double opacity = 1;                          // d, or 1 - Tr
  MtlMap color_map, opacity_map;               // map_Kd, map_d
};

// Reads colours, opacity and their maps; everything else in the file is left out. Throws Error where the file
// cannot be read, and BadMtl.
std::vector<MtlMaterial> read_mtl(const std::filesystem::path& path);

// The error for a number that is none, such as 3.1+e2. It names the line.
class BadMtl : public Error {
 public:
  using Error::Error;
};

// `path` is for messages. A zero byte follows `text`.
std::vector<MtlMaterial> parse_mtl(std::string_view text, const std::filesystem::path& path);

}  // namespace vox
