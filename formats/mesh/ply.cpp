// The reader of PLY (Turk, "The PLY Polygon File Format"), text and binary.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "formats/images/image.h"
#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/mesh/mesh.h"
#include "formats/mesh/ply_header.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"

namespace vox {
namespace {

// Reads the values of a text file one after the other. An element starts on a line of its own. Values beyond
// the properties that the header names are skipped.
class TextValues {
 public:
  explicit TextValues(std::string_view data) : p_(data.data()), end_(p_ + data.size()) {}

  double next(PlyType) {
    while (p_ < end_ && (is_blank(*p_) || is_line_end(*p_))) ++p_;
    if (p_ == end_) throw Error("the file ends too early").hint("is it truncated?");
    Number number = scan_number(p_);
    if (!number.end)
      throw Error(fmt::format("expected a number instead of '{}'", std::string(p_, word_end(p_))));
    p_ = number.end;
    return number.value;
  }

  void skip(PlyType type, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) next(type);
  }

  void end_element() {
    while (p_ < end_ && *p_ != '\n' && *p_ != '\r') ++p_;
  }

  // The rest of a text is not counted, because a text may end with anything.
  uint64_t rest() const { return 0; }

 private:
  const char *p_, *end_;
};

// Reads the values of a binary file one after the other.
template <std::endian Order>
class BinaryValues {
 public:
  explicit BinaryValues(std::string_view data) : data_(data) {}

  double next(PlyType type) {
    if (data_.size() < size_of(type)) fail();
    const double value = ply_value<Order>(data_.data(), type);
    data_.remove_prefix(size_of(type));
    return value;
  }

  void skip(PlyType type, uint64_t count) {
    if (count > data_.size() / size_of(type)) fail();
    data_.remove_prefix(count * size_of(type));
  }

  void end_element() {}

  uint64_t rest() const { return data_.size(); }

 private:
  [[noreturn]] static void fail() { throw Error("the file ends too early").hint("is it truncated?"); }

  std::string_view data_;
};

constexpr size_t kNoProperty = SIZE_MAX;

struct PlyMesh {
  scene::Scene scene;
  std::vector<Polygon> polygons;
  uint64_t bytes_left = 0;  // after the last element
};

template <class Values>
class MeshReader {
 public:
  MeshReader(const PlyHeader& header, std::string_view data) : header_(header), values_(data) {
    for (const PlyElement& element : header.elements) {
      if (element.name != "vertex") continue;
      vertex_count_ = element.count;
      PlyVertexLayout layout = ply_vertex_layout(element);
      vertex_has_uv_ = layout[kU] && layout[kV];
    }
    if (vertex_count_ >= scene::kNone) throw Error("more vertices than 32-bit indices can address");
    // Faces, which may come before the vertices, add those of their corners.
    if (vertex_has_uv_) mesh_.scene.texcoords.resize(vertex_count_);
  }

  PlyMesh read() {
    for (const PlyElement& element : header_.elements) {
      if (element.name == "vertex") {
        read_vertices(element);
      } else if (element.name == "face") {
        read_faces(element);
      } else if (element.name == "tristrips") {
        read_strips(element);
      } else if (!element.properties.empty()) {
        skip_elements(element);
      }
    }
    mesh_.bytes_left = values_.rest();
    return std::move(mesh_);
  }

 private:
  void skip_elements(const PlyElement& element) {
    for (uint64_t i = 0; i < element.count; ++i) {
      for (const PlyProperty& property : element.properties) skip(property);
      values_.end_element();
    }
  }

  void read_vertices(const PlyElement& element) {
    PlyVertexLayout layout = ply_vertex_layout(element);
    if (!layout[kX] || !layout[kY] || !layout[kZ]) throw Error("vertices have no x, y and z");
    bool has_colors = layout[kRed] && layout[kGreen] && layout[kBlue];
    scene::Scene& scene = mesh_.scene;
    scene.positions.resize(element.count);
    if (has_colors) scene.colors.resize(element.count);
    std::vector<double> values(element.properties.size());
    for (uint64_t i = 0; i < element.count; ++i) {
      for (size_t k = 0; k < values.size(); ++k) values[k] = scalar(element.properties[k]);
      values_.end_element();
      auto part = [&](PlyVertexPart name) { return values[*layout[name]]; };
      auto byte = [&](PlyVertexPart name) {
        return ply_color(part(name), element.properties[*layout[name]].type);
      };
      scene.positions[i] = {part(kX), part(kY), part(kZ)};
      if (has_colors)
        scene.colors[i] = {byte(kRed), byte(kGreen), byte(kBlue),
                           layout[kAlpha] ? byte(kAlpha) : uint8_t{255}};
      if (vertex_has_uv_) scene.texcoords[i] = texcoord(part(kU), part(kV));
    }
  }

  void read_faces(const PlyElement& element) {
    size_t indices = list_of_indices(element), texcoords = list_of_texcoords(element);
    size_t texture = element.find({"texnumber"}).value_or(kNoProperty);
    std::vector<double> uv;
    for (uint64_t face = 0; face < element.count; ++face) {
      corners_.clear();
      uv.clear();
      uint32_t material = 0;
      for (size_t k = 0; k < element.properties.size(); ++k) {
        const PlyProperty& property = element.properties[k];
        if (k == indices) {
          read_list(property, [&](double value) { corners_.push_back(vertex(value, face)); });
        } else if (k == texcoords) {
          read_list(property, [&](double value) { uv.push_back(value); });
        } else if (k == texture) {
          material = texture_index(scalar(property));
        } else {
          skip(property);
        }
      }
      values_.end_element();
      add_face(uv, material);
    }
  }

  // Reads strips of triangles, in which every second triangle has the opposite orientation; -1 separates two
  // strips.
  void read_strips(const PlyElement& element) {
    size_t indices = list_of_indices(element);
    for (uint64_t strip = 0; strip < element.count; ++strip) {
      for (size_t k = 0; k < element.properties.size(); ++k) {
        const PlyProperty& property = element.properties[k];
        corners_.clear();
        if (k == indices) {
          read_list(property, [&](double value) { extend_strip(value, strip); });
        } else {
          skip(property);
        }
      }
      values_.end_element();
    }
  }

  void extend_strip(double index, uint64_t strip) {
    if (index < 0) return corners_.clear();
    corners_.push_back(vertex(index, strip));
    size_t n = corners_.size();
    if (n < 3) return;
    bool turned = n % 2 == 0;
    add_triangle({corners_[n - 3], corners_[n - 2 + turned], corners_[n - 1 - turned]}, 0);
  }

  static size_t list_of_indices(const PlyElement& element) {
    auto indices = element.find({"vertex_indices", "vertex_index"});
    if (!indices || !element.properties[*indices].count_type)
      throw Error(fmt::format("element '{}' has no list vertex_indices", element.name));
    if (!is_integer(element.properties[*indices].type))
      throw Error(
          fmt::format("the list {} of element '{}' does not hold whole numbers, so they cannot be vertices",
                      element.properties[*indices].name, element.name));
    return *indices;
  }

  // Finds the list that holds one u and v for each corner.
  static size_t list_of_texcoords(const PlyElement& element) {
    size_t texcoords = element.find({"texcoord"}).value_or(kNoProperty);
    bool is_list = texcoords != kNoProperty && element.properties[texcoords].count_type;
    return is_list ? texcoords : kNoProperty;
  }

  void add_face(const std::vector<double>& uv, uint32_t material) {
    size_t n = corners_.size();
    if (n > 3) mesh_.polygons.push_back({mesh_.scene.triangles.size(), static_cast<uint32_t>(n)});
    for (size_t i = 2; i < n; ++i) add_triangle({corners_[0], corners_[i - 1], corners_[i]}, material);
    if (n < 3 || uv.size() != 2 * n) return;
    std::vector<Vec2f>& texcoords = mesh_.scene.texcoords;
    if (texcoords.size() + n >= scene::kNone)
      throw Error("more texture coordinates than 32-bit indices can address");
    uint32_t first = static_cast<uint32_t>(texcoords.size());
    for (size_t i = 0; i < n; ++i) texcoords.push_back(texcoord(uv[2 * i], uv[2 * i + 1]));
    scene::Triangle* triangle = mesh_.scene.triangles.data() + mesh_.scene.triangles.size() - (n - 2);
    for (uint32_t i = 2; i < n; ++i) (triangle++)->texcoord = {first, first + i - 1, first + i};
  }

  void add_triangle(std::array<uint32_t, 3> corners, uint32_t material) {
    constexpr std::array<uint32_t, 3> kNoTexcoords = {scene::kNone, scene::kNone, scene::kNone};
    mesh_.scene.triangles.push_back({corners, vertex_has_uv_ ? corners : kNoTexcoords, material});
  }

  // In the file v points up.
  static Vec2f texcoord(double u, double v) { return {static_cast<float>(u), static_cast<float>(1 - v)}; }

  uint32_t vertex(double index, uint64_t face) const {
    if (!(index >= 0 && index < static_cast<double>(vertex_count_)))
      throw Error(fmt::format("face {} refers to vertex {}, but {} are defined", face, index, vertex_count_));
    if (index != std::floor(index)) throw Error(fmt::format("face {} refers to vertex {}", face, index));
    return static_cast<uint32_t>(index);
  }

  uint32_t texture_index(double number) const {
    bool known = number >= 0 && number < static_cast<double>(header_.textures.size());
    return known ? static_cast<uint32_t>(number) : 0;
  }

  double scalar(const PlyProperty& property) {
    if (!property.count_type) return values_.next(property.type);
    skip(property);
    return 0;
  }

  template <class F>
  void read_list(const PlyProperty& property, F f) {
    uint64_t count = list_size(property);
    for (uint64_t i = 0; i < count; ++i) f(values_.next(property.type));
  }

  void skip(const PlyProperty& property) {
    values_.skip(property.type, property.count_type ? list_size(property) : 1);
  }

  uint64_t list_size(const PlyProperty& property) {
    double size = values_.next(*property.count_type);
    if (!(size >= 0 && size <= UINT32_MAX && size == std::floor(size)))
      throw Error(fmt::format("a list of {} values", size));
    return static_cast<uint64_t>(size);
  }

  const PlyHeader& header_;
  Values values_;
  uint64_t vertex_count_ = 0;
  bool vertex_has_uv_ = false;
  std::vector<uint32_t> corners_;  // corners of the current face
  PlyMesh mesh_;
};

PlyMesh read_data(const PlyHeader& header, std::string_view data) {
  switch (header.format) {
    case PlyFormat::Text:
      return MeshReader<TextValues>(header, data).read();
    case PlyFormat::LittleEndian:
      return MeshReader<BinaryValues<std::endian::little>>(header, data).read();
    case PlyFormat::BigEndian:
      return MeshReader<BinaryValues<std::endian::big>>(header, data).read();
  }
  __builtin_unreachable();
}

// Adds one material for each texture, or one material without a texture.
void add_materials(scene::Scene& scene, const PlyHeader& header, TextureFiles textures) {
  ImageLoader loader;
  for (const std::string& texture : header.textures) {
    scene::Material& material = scene.materials.emplace_back();
    material.name = texture;
    if (auto file = textures.find(texture)) {
      material.base_color = {1, 1, 1, 1};
      material.image = loader.add_file(*file);
    }
  }
  textures.warn_of_missing();
  if (scene.materials.empty()) scene.materials.emplace_back().name = "default";
  if (!scene.colors.empty())
    for (scene::Material& material : scene.materials) material.base_color = {1, 1, 1, 1};
  scene.images = loader.load();
  drop_empty_images(scene);
}

}  // namespace

scene::Scene read_ply(const std::filesystem::path& path, const MeshOptions& options) {
  PlyHeader header;
  PlyMesh mesh;
  {
    const TextFile file(path);
    header = parse_ply_header(file.text(), path);
    try {
      mesh = read_data(header, file.text().substr(header.bytes));
    } catch (Error& error) {
      throw error.at(path.string());
    }
  }
  if (mesh.bytes_left > 0)
    log_warning("{}: {} bytes after the last element are ignored", path.string(), mesh.bytes_left);
  cut_concave_polygons(mesh.scene, mesh.polygons);
  add_materials(mesh.scene, header, TextureFiles(path, options));
  return std::move(mesh.scene);
}

}  // namespace vox
