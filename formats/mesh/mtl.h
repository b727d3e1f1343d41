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

// A texture map with its options. A texture coordinate (u, v), with v up, becomes (u, v) · scale + offset.
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

// Reads colours, opacity and their maps, and ignores everything else. Throws Error if the file cannot be
// read, and BadMtl if a number is malformed.
std::vector<MtlMaterial> read_mtl(const std::filesystem::path& path);

// The error for a malformed number, such as 3.1+e2. It names the line.
class BadMtl : public Error {
 public:
  using Error::Error;
};

// `path` is for messages. A zero byte must follow `text`.
std::vector<MtlMaterial> parse_mtl(std::string_view text, const std::filesystem::path& path);

}  // namespace vox
