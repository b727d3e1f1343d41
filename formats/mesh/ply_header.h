// The header of a PLY file, which lists the elements that follow and their properties.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

enum class UnknownLines : uint8_t { Warn, Ignore };

// Throws an Error that names `path` and the line, for example if the elements cannot fit into the file. A
// zero byte must follow `text`. Lines that begin with an unknown word are skipped, with a warning or without.
PlyHeader parse_ply_header(std::string_view text, const std::filesystem::path& path,
                           UnknownLines unknown = UnknownLines::Warn);

// The parts of a vertex, and the index of each among a vertex's properties.
enum PlyVertexPart { kX, kY, kZ, kRed, kGreen, kBlue, kAlpha, kU, kV, kVertexParts };
using PlyVertexLayout = std::array<std::optional<size_t>, kVertexParts>;

inline PlyVertexLayout ply_vertex_layout(const PlyElement& vertex) {
  return {vertex.find({"x"}),
          vertex.find({"y"}),
          vertex.find({"z"}),
          vertex.find({"red", "diffuse_red", "r"}),
          vertex.find({"green", "diffuse_green", "g"}),
          vertex.find({"blue", "diffuse_blue", "b"}),
          vertex.find({"alpha", "diffuse_alpha", "a"}),
          vertex.find({"s", "u", "texture_u", "texture_s"}),
          vertex.find({"t", "v", "texture_v", "texture_t"})};
}

// Returns a color component as 8 bits. Real numbers range from 0 to 1.
inline uint8_t ply_color(double value, PlyType type) {
  if (type == PlyType::Float32 || type == PlyType::Float64) value *= 255;
  if (type == PlyType::Uint16) value /= 257;
  return static_cast<uint8_t>(value >= 255 ? 255 : value > 0 ? value + 0.5 : 0);
}

template <class T, std::endian Order>
double ply_number(const void* from) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if constexpr (Order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
  return static_cast<double>(std::bit_cast<T>(bytes));
}

// Returns the value of the size_of(type) bytes at `from`.
template <std::endian Order>
double ply_value(const void* from, PlyType type) {
  switch (type) {
    case PlyType::Int8:
      return ply_number<int8_t, Order>(from);
    case PlyType::Uint8:
      return ply_number<uint8_t, Order>(from);
    case PlyType::Int16:
      return ply_number<int16_t, Order>(from);
    case PlyType::Uint16:
      return ply_number<uint16_t, Order>(from);
    case PlyType::Int32:
      return ply_number<int32_t, Order>(from);
    case PlyType::Uint32:
      return ply_number<uint32_t, Order>(from);
    case PlyType::Float32:
      return ply_number<float, Order>(from);
    case PlyType::Float64:
      return ply_number<double, Order>(from);
  }
  __builtin_unreachable();
}

}  // namespace vox
