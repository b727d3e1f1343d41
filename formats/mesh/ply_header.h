// The header of a PLY file, which lists the elements that follow and their properties.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vox {

enum class PlyFormat { Text, LittleEndian, BigEndian };
enum class PlyType : uint8_t { Int8, Uint8, Int16, Uint16, Int32, Uint32, Float32, Float64 };

bool is_integer(PlyType type);
size_t size_of(PlyType type);  // bytes in a binary file

struct PlyProperty {
  std::string name;
  PlyType type;
  std::optional<PlyType> count_type;  // the type of a list's count; absent unless the property is a list
};

struct PlyElement {
  std::string name;
  uint64_t count = 0;
  std::vector<PlyProperty> properties;

  // Returns the index of the first of these properties that the element has.
  std::optional<size_t> find(std::initializer_list<std::string_view> names) const;
};

struct PlyHeader {
  PlyFormat format = PlyFormat::Text;
  std::vector<PlyElement> elements;
  std::vector<std::string> textures;  // from `comment TextureFile …`, which MeshLab writes
  size_t bytes = 0;                   // length of the header; the data follows
};

// Throws an Error that names `path` and the line, for example if the elements cannot fit into the file. A
// zero byte must follow `text`.
PlyHeader parse_ply_header(std::string_view text, const std::filesystem::path& path);

}  // namespace vox
