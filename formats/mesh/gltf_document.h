// The contents of a glTF file's JSON as plain structs (glTF 2.0, §5). Indices are copied from the
// file without checks; item_of() in formats/mesh/gltf_json.h checks them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/io/read_file.h"
#include "formats/mesh/gltf_json.h"
#include "libvox/base/vec.h"
#include "libvox/scene/scene.h"

namespace vox {

// An affine map of space, as nodes of a glTF file have one.
struct Affine {
  Vec3d x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};  // the images of the axes
  Vec3d origin = {0, 0, 0};                           // the image of the origin

  Vec3d direction(Vec3d v) const { return x * v.x + y * v.y + z * v.z; }
  Vec3d operator()(Vec3d p) const { return direction(p) + origin; }

  // Returns the map that applies `b` first, then `a`.
  friend Affine operator*(const Affine& a, const Affine& b) {
    return {.x = a.direction(b.x), .y = a.direction(b.y), .z = a.direction(b.z), .origin = a(b.origin)};
  }
};

// Returns the map that scales, then rotates by a quaternion (x, y, z, w) of any length but 0, then
// translates.
inline Affine affine_of(Vec3d translation, const std::array<double, 4>& rotation, Vec3d scale) {
  auto [x, y, z, w] = rotation;
  double length = std::sqrt(x * x + y * y + z * z + w * w);
  if (length > 0) x /= length, y /= length, z /= length, w /= length;
  Affine map;
  map.x = Vec3d{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)} * scale.x;
  map.y = Vec3d{2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)} * scale.y;
  map.z = Vec3d{2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)} * scale.z;
  map.origin = translation;
  return map;
}

// Returns the map of a 4 × 4 matrix in column-major order, whose last row is assumed to be 0 0 0 1.
inline Affine affine_of(const std::array<double, 16>& m) {
  return {.x = {m[0], m[1], m[2]},
          .y = {m[4], m[5], m[6]},
          .z = {m[8], m[9], m[10]},
          .origin = {m[12], m[13], m[14]}};
}

// Thrown if a file is glTF 1.0, whose JSON is different. Assimp reads such files.
class OldGltf : public std::exception {};

struct GltfBuffer {
  std::optional<std::string> uri;  // if absent, the buffer is the GLB's own data
  uint64_t size = 0;
};

// The extension EXT_meshopt_compression of a buffer view.
enum class MeshoptMode : uint8_t { Attributes, Triangles, Indices };
enum class MeshoptFilter : uint8_t { None, Octahedral, Quaternion, Exponential };
struct GltfMeshopt {
  uint32_t buffer = scene::kNone;
  uint64_t offset = 0, size = 0;   // place of the compressed bytes
  uint64_t stride = 0, count = 0;  // layout of the decoded elements
  MeshoptMode mode = MeshoptMode::Attributes;
  MeshoptFilter filter = MeshoptFilter::None;
};

struct GltfView {
  uint32_t buffer = scene::kNone;
  uint64_t offset = 0, size = 0;
  uint64_t stride = 0;  // 0: the elements have no gaps
  std::optional<GltfMeshopt> meshopt;
};

enum class GltfComponent : uint16_t {
  Int8 = 5120,
  Uint8 = 5121,
  Int16 = 5122,
  Uint16 = 5123,
  Uint32 = 5125,
  Float = 5126
};
uint32_t size_of(GltfComponent component);

struct GltfSparse {
  uint64_t count = 0;
  uint32_t index_view = scene::kNone, value_view = scene::kNone;
  uint64_t index_offset = 0, value_offset = 0;
  GltfComponent index_component = GltfComponent::Uint32;
};

struct GltfAccessor {
  uint32_t view = scene::kNone;  // kNone: the elements are zeros
  uint64_t offset = 0, count = 0;
  GltfComponent component = GltfComponent::Float;
  std::string type;    // SCALAR, VEC2, …
  uint32_t width = 1;  // number of components in an element
  bool normalized = false;
  std::optional<GltfSparse> sparse;
};

// The attributes of vertices: names (POSITION, TEXCOORD_0, …) with the indices of their accessors.
struct GltfAttributes {
  std::vector<std::pair<std::string, uint32_t>> list;

  uint32_t find(std::string_view name) const {
    for (const auto& [key, accessor] : list)
      if (key == name) return accessor;
    return scene::kNone;
  }
};

enum class GltfMode : uint8_t { Points, Lines, LineLoop, LineStrip, Triangles, Strip, Fan };

struct GltfPrimitive {
  GltfAttributes attributes;
  uint32_t indices = scene::kNone, material = scene::kNone;
  GltfMode mode = GltfMode::Triangles;
  std::vector<GltfAttributes> targets;
  uint32_t draco_view = scene::kNone;  // index of the view of KHR_draco_mesh_compression
  GltfAttributes draco_ids;            // the attributes in Draco's data, by Draco's own numbers
};

struct GltfMesh {
  std::string name;
  std::vector<GltfPrimitive> primitives;
  std::vector<double> weights;
};

struct GltfNode {
  std::string name;
  std::vector<uint32_t> children;
  uint32_t mesh = scene::kNone, skin = scene::kNone;
  Affine local;
  std::vector<double> weights;  // replace the mesh's weights unless they are empty
  GltfAttributes instancing;    // EXT_mesh_gpu_instancing
};

struct GltfSkin {
  std::vector<uint32_t> joints;
  uint32_t inverse_bind_matrices = scene::kNone;
};

// KHR_texture_transform: u' = u_u u + u_v v + u_0, and likewise for v', with v down.
struct GltfUvMap {
  double u_u = 1, u_v = 0, u_0 = 0, v_u = 0, v_v = 1, v_0 = 0;
  bool operator==(const GltfUvMap&) const = default;
};

struct GltfTextureUse {
  uint32_t texture = scene::kNone, set = 0;  // set is the n of TEXCOORD_n
  GltfUvMap map;
};

struct GltfMaterial {
  std::string name;
  std::array<float, 4> base_color = {1, 1, 1, 1};  // linear
  GltfTextureUse base_texture;
  std::array<double, 3> emission = {0, 0, 0};  // linear, may exceed 1
  GltfTextureUse emission_texture;
  float alpha_cutoff = 0;  // as in scene::Material
};

struct GltfTexture {
  uint32_t image = scene::kNone;
  std::string unread;  // the extension that holds its only image, if that extension is not supported
  scene::Wrap wrap_u = scene::Wrap::Repeat, wrap_v = scene::Wrap::Repeat;
};

struct GltfImage {
  std::string name, uri;
  uint32_t view = scene::kNone;
};

struct GltfDocument {
  std::vector<GltfBuffer> buffers;
  std::vector<GltfView> views;
  std::vector<GltfAccessor> accessors;
  std::vector<GltfMesh> meshes;
  std::vector<GltfNode> nodes;
  std::vector<GltfSkin> skins;
  std::vector<GltfMaterial> materials;
  std::vector<GltfTexture> textures;
  std::vector<GltfImage> images;
  std::vector<std::vector<uint32_t>> scenes;  // the root nodes of each scene
  uint32_t scene = scene::kNone;              // the scene to show
};

// Throws Error, for example if the file needs an extension that is not supported.
GltfDocument parse_gltf(std::string_view json);

// These read the part of a glTF file's JSON that describes surfaces: materials, textures, samplers, images.
GltfMaterial read_gltf_material(const GltfObject& object);
GltfImage read_gltf_image(const GltfObject& object);
std::vector<GltfTexture> read_gltf_textures(const GltfObject& root);  // includes their samplers

// The bytes of a glTF file's buffers and buffer views. They are used directly in the mapped files unless they
// are encoded.

// Finds and decodes views when they are first asked for. Only one thread may call it; any thread may read the
// bytes.
class GltfBuffers {
 public:
  // `binary` are the bytes after a GLB's JSON. They and the document must outlive this object.
  GltfBuffers(const GltfDocument& document, const std::filesystem::path& folder, OpenFolders open,
              std::span<const std::byte> binary);

  // Throws Error if there is no such view, if it reaches beyond its buffer, or if the buffer reaches beyond
  // its file.
  std::span<const std::byte> view(uint32_t index);

  // Returns the total size of all buffers that the file states. No sensible file has more elements without
  // data than that.
  uint64_t total_bytes() const { return total_bytes_; }

  // Counts bytes that are about to be decoded. Throws Error if there is not enough memory for them, since a
  // small file can refer to the same data many times.
  void count_decoded(uint64_t bytes);

 private:
  std::span<const std::byte> buffer(uint32_t index);
  std::span<const std::byte> bytes_of(const GltfBuffer& buffer, uint32_t index);
  std::span<const std::byte> part_of_buffer(uint32_t buffer, uint64_t offset, uint64_t size);
  std::span<const std::byte> keep(std::vector<std::byte> bytes);

  const GltfDocument& document_;
  std::filesystem::path folder_;
  OpenFolders open_;
  std::span<const std::byte> binary_;
  uint64_t total_bytes_ = 0, decoded_bytes_ = 0;
  std::map<uint32_t, std::span<const std::byte>> buffers_, views_;
  std::vector<std::unique_ptr<MappedFile>> files_;
  std::vector<std::vector<std::byte>> decoded_;
};

// Accessors of a glTF file turn numbers of any type, stride and place into elements that loops can read (glTF
// 2.0, §3.6.2).

// A view of an accessor's elements, either in the file or decoded in memory.
struct GltfElements {
  const std::byte* data = nullptr;
  uint64_t count = 0, stride = 0;  // a stride of 0 means that every element is the same
  uint32_t width = 1;
  GltfComponent component = GltfComponent::Float;
  bool normalized = false;
};

class GltfAccessors {
 public:
  // Both must outlive this object.
  GltfAccessors(const GltfDocument& document, GltfBuffers& buffers)
      : document_(document), buffers_(buffers) {}

  // Returns the same object for the same index. Throws Error if there is no such accessor, or if its bytes
  // are missing.
  const GltfElements& get(uint32_t index);

  // Throws Error unless the accessor has one of these types and one of these components.
  void check(uint32_t index, std::initializer_list<std::string_view> types,
             std::initializer_list<GltfComponent> components) const;

 private:
  GltfElements find(const GltfAccessor& accessor);
  std::vector<std::byte> with_sparse(const GltfAccessor& accessor, const GltfElements& base);

  const GltfDocument& document_;
  GltfBuffers& buffers_;
  std::map<uint32_t, GltfElements> found_;
  std::vector<std::vector<std::byte>> sparse_;
};

// Calls body(T) with a value of the component's type.
template <class Body>
void with_component_type(GltfComponent component, Body body) {
  switch (component) {
    case GltfComponent::Int8:
      return body(int8_t{});
    case GltfComponent::Uint8:
      return body(uint8_t{});
    case GltfComponent::Int16:
      return body(int16_t{});
    case GltfComponent::Uint16:
      return body(uint16_t{});
    case GltfComponent::Uint32:
      return body(uint32_t{});
    case GltfComponent::Float:
      return body(float{});
  }
}

// Converts normalized integers to [0, 1] or [-1, 1] (glTF 2.0, §3.6.2.2).
template <class T>
double normalized_value(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    return std::max(value / static_cast<double>(std::numeric_limits<T>::max()), -1.0);
  }
}

// Calls body(i, std::array<double, N>) for the elements [first, end). If an element has fewer components than
// `fill`, the remaining ones are taken from it.
template <size_t N, class Body>
void for_each_element(const GltfElements& elements, uint64_t first, uint64_t end,
                      const std::array<double, N>& fill, Body body) {
  with_component_type(elements.component, [&]<class T>(T) {
    const size_t width = std::min<size_t>(elements.width, N);
    const std::byte* from = elements.data + first * elements.stride;
    for (uint64_t i = first; i < end; ++i, from += elements.stride) {
      std::array<double, N> values = fill;
      for (size_t c = 0; c < width; ++c) {
        T value;
        std::memcpy(&value, from + c * sizeof(T), sizeof(T));
        values[c] = elements.normalized ? normalized_value(value) : static_cast<double>(value);
      }
      body(i, values);
    }
  });
}

// Returns the decoded size of a buffer view that one of meshoptimizer's codecs has compressed
// (EXT_meshopt_compression). Throws Error if the compressed bytes cannot hold that much.
uint64_t decoded_size(const GltfMeshopt& packed);

// Decodes such a view to `size` bytes. Throws Error, also in a build without meshoptimizer.
std::vector<std::byte> decode_meshopt(const GltfMeshopt& packed, uint64_t size,
                                      std::span<const std::byte> compressed);

// Returns the bytes of a data URI, which contains a file: "data:application/octet-stream;base64,AAAA" (RFC 2397, RFC
// 4648). Returns nothing for any other URI. Throws Error if the data is not valid base64.
std::optional<std::vector<std::byte>> data_of_uri(std::string_view uri);

}  // namespace vox
