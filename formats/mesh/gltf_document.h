// The contents of a glTF file's JSON as plain structs (glTF 2.0, §5). Indices are copied from the
// file without checks; item_of() in formats/mesh/gltf_json.h checks them.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/mesh/gltf_json.h"
#include "libvox/base/vec.h"
#include "libvox/scene/scene.h"

namespace vox {

// The nodes of a glTF file use affine maps of space.

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

// Reads the part of a glTF file's JSON that describes surfaces: materials, textures, samplers, images.

GltfMaterial read_gltf_material(const GltfObject& object);
GltfImage read_gltf_image(const GltfObject& object);
std::vector<GltfTexture> read_gltf_textures(const GltfObject& root);  // includes their samplers

}  // namespace vox
