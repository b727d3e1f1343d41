// Builds the scene that a glTF file shows, from instances of its meshes.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/images/image.h"
#include "formats/mesh/gltf_document.h"
#include "formats/mesh/mesh.h"
#include "libvox/scene/scene.h"

namespace vox {

// `path` is the glTF file, and `binary` the data that follows a GLB's JSON. Throws Error.
scene::Scene gltf_scene(const GltfDocument& document, const std::filesystem::path& path,
                        const MeshOptions& options, std::span<const std::byte> binary);

// A mesh that a node of the file's tree shows, in its place and deformed by a skin if it has one.
// EXT_mesh_gpu_instancing makes several instances of one node.
struct GltfInstance {
  uint32_t node = scene::kNone, mesh = scene::kNone;
  Affine transform;
  // The skin's map for each joint, from the mesh's space in its rest pose to the scene; null without a skin.
  // With a skin, `transform` is ignored (glTF 2.0, §3.7.3.3).
  std::shared_ptr<const std::vector<Affine>> joints;
};

// Returns all instances of the scene to show, in depth-first order, or of all nodes if the file has no
// scenes. Throws Error unless the nodes form a forest.
std::vector<GltfInstance> find_gltf_instances(const GltfDocument& document, GltfAccessors& accessors);

// Surfaces can emit light. A scene has only one color for each place of its surface, so the emitted light is
// added to that color:
//
//   shown color = base color + emissive factor · strength · emissive texture      (linear light, at most 1)
//
// Labels with a black base color are therefore readable, and a lamp of any strength is at most white.

struct Emission {
  uint32_t material;            // index into Scene::materials
  std::array<double, 3> color;  // linear, 0 or more, not all 0
  // Index into Scene::images. The image multiplies the color and uses the texture coordinates of the
  // material's own image.
  uint32_t image = scene::kNone;
};

// Adds each emission to the image of its material, or to the base color if neither has an image. Images
// that no material uses any more become empty (see drop_empty_images()).
void add_emission(scene::Scene& scene, const std::vector<Emission>& emissions);

// Converts the materials of a glTF file that are used, with their images, in order of their first use.
class GltfMaterials {
 public:
  // `document` and `buffers` must outlive this object.
  GltfMaterials(const GltfDocument& document, GltfBuffers& buffers, TextureFiles files);

  struct Use {
    scene::Material material;          // its image is an index in the loader
    bool textured = false;             // true if it needs texture coordinates
    uint32_t set = 0;                  // the set of these coordinates, the n of TEXCOORD_n
    GltfUvMap map;                     // maps these coordinates to the sampled ones
    std::array<double, 3> emission{};  // not multiplied by vertex colors; 0 if an image shows the emission
  };

  // Returns the index into uses() of a material of the file; kNone is glTF's default material.
  uint32_t use(uint32_t material);

  const std::vector<Use>& uses() const { return uses_; }

  // Decodes the images, in parallel, and sets the scene's materials and images. Must be called only once.
  void finish(scene::Scene& scene);

 private:
  Use read(const GltfMaterial& source);
  void read_textures(const GltfMaterial& source, Use& use);
  uint32_t image_of(const GltfTextureUse& use);
  uint32_t add_image(uint32_t index);

  const GltfDocument& document_;
  GltfBuffers& buffers_;
  TextureFiles files_;
  ImageLoader loader_;
  std::map<uint32_t, uint32_t> index_, image_of_view_, image_of_image_;  // the file's number → ours
  std::vector<Use> uses_;
  std::vector<Emission> emissions_;
};

// A glTF file's primitives are triangles in lists, strips or fans, with indices of any type or without
// indices.

// The corners of triangles: the vertices in their order, or those to which indices refer.
struct GltfCorners {
  GltfMode mode = GltfMode::Triangles;
  GltfElements indices;  // null data if there are no indices
  uint64_t count = 0;    // number of entries of the list, strip or fan
};

uint64_t triangle_count(const GltfCorners& corners);  // 0 for points and lines

struct VertexRange {
  uint64_t first = 0, end = 0;
};

// Returns the smallest range of vertices that holds all corners. Throws Error if a corner refers to a
// vertex that is not one of the `vertices` vertices.
VertexRange find_range(const GltfCorners& corners, uint64_t vertices);

// The distances from the indices of a primitive's vertices in the file to those in a scene. A negative
// distance wraps around.
struct TriangleTarget {
  uint32_t position_shift = 0, texcoord_shift = 0;
  bool textured = false;
  uint32_t material = 0;
};

// Writes all triangles to `to`, in parallel.
void write_triangles(const GltfCorners& corners, const TriangleTarget& target, scene::Triangle* to);

// The decoded data of a primitive whose indices and attributes Draco has compressed (KHR_draco_mesh_compression). An
// attribute has the components that its accessor states.
struct DracoMesh {
  std::vector<uint32_t> indices;  // three for each triangle, in all modes of primitives
  uint64_t vertices = 0;
  std::map<std::string, std::vector<std::byte>> attributes;

  GltfElements index_elements() const;
  GltfElements elements(const std::string& attribute, const GltfAccessor& accessor) const;
};

struct DracoJob {
  struct Attribute {
    std::string name;
    uint32_t id, width;  // Draco's number of the attribute, and the number of components of an element
    GltfComponent component;
  };
  std::string place;  // for messages
  std::span<const std::byte> data;
  std::vector<Attribute> attributes;
};

// Returns one mesh for each job. Draco runs in a child process, because damaged data might make it crash or
// hang. Throws Error.
std::vector<DracoMesh> decode_draco(const std::vector<DracoJob>& jobs);

// The positions of a glTF primitive's vertices are morphed, skinned and transformed, as a node
// shows them.

// The accessors of vertices. Primitives of a mesh with the same accessors share their vertices.
struct GltfVertices {
  struct Bones {
    const GltfElements *joints, *weights;
    bool operator==(const Bones&) const = default;
  };
  struct Morph {
    double weight;
    const GltfElements* offsets;
    bool operator==(const Morph&) const = default;
  };

  const GltfElements* positions = nullptr;
  const GltfElements* colors = nullptr;  // null if there are none
  std::vector<Morph> morphs;
  std::vector<Bones> bones;  // a set has four
  // A color c is shown as base · c + emission, but it is stored as a factor of base +
  // emission.
  std::array<double, 3> base = {1, 1, 1}, emission = {0, 0, 0};

  bool operator==(const GltfVertices&) const = default;
};

// Writes the vertices [first, end) to `to`, in parallel. Throws Error if a vertex refers to a joint that the
// skin does not have.
void write_gltf_positions(const GltfVertices& vertices, const GltfInstance& instance, uint64_t first,
                          uint64_t end, Vec3d* to);
void write_gltf_colors(const GltfVertices& vertices, uint64_t first, uint64_t end, scene::Rgba8* to);

// Before anything is converted, the accessors and materials of all primitives are found and
// checked.

// The texture coordinates that triangles sample. Primitives with equal elements and maps share them.
struct GltfTexcoords {
  const GltfElements* elements = nullptr;
  GltfUvMap map;
  VertexRange range;  // the vertices to which primitives refer

  bool operator==(const GltfTexcoords& other) const { return elements == other.elements && map == other.map; }
};

struct PreparedPrimitive {
  uint32_t number = 0;  // index in its mesh
  GltfCorners corners;
  uint32_t vertices = 0;              // index into PreparedMesh::vertices
  uint32_t texcoords = scene::kNone;  // index into GltfMeshes::texcoords()
  uint32_t material = 0;              // index into GltfMaterials::uses()
};

struct PreparedMesh {
  std::vector<PreparedPrimitive> primitives;  // only those with triangles
  std::vector<GltfVertices> vertices;
  std::vector<VertexRange> ranges;  // for each of `vertices`, the range to which primitives refer
  std::map<const GltfElements*, std::vector<uint32_t>> same_positions;  // into `vertices`
  uint64_t triangles = 0;
};

// Finds and checks the primitives of the meshes that are shown.
class GltfMeshes {
 public:
  // All arguments must outlive this object.
  GltfMeshes(const GltfDocument& document, GltfBuffers& buffers, GltfAccessors& accessors,
             GltfMaterials& materials);

  // Decodes the primitives that are compressed by Draco in the meshes that are shown.
  void decode(const std::vector<GltfInstance>& instances);

  // Throws Error, except for indices out of range, which find_ranges() checks.
  const PreparedMesh& prepare(const GltfInstance& instance);

  // Reads all indices of the prepared meshes to find the ranges of vertices to which they refer.
  void find_ranges();

  const std::vector<GltfTexcoords>& texcoords() const { return texcoords_; }

  void log_what_is_special() const;

 private:
  // The weights matter only if the mesh has morph targets.
  using Key = std::tuple<uint32_t, bool, std::vector<double>>;  // mesh, skinned, weights
  struct Source {
    uint32_t number;  // the primitive's index in its mesh
    const GltfPrimitive* primitive;
    const DracoMesh* draco;  // null if not compressed
    std::map<std::string, GltfElements>* draco_elements;
  };

  Source source_of(uint32_t mesh, uint32_t primitive);
  void prepare(const Source& source, const Key& key, PreparedMesh& mesh);
  GltfCorners corners_of(const Source& source, uint64_t vertices);
  GltfVertices vertices_of(const Source& source, const Key& key, uint32_t material);
  uint32_t texcoords_of(const Source& source, uint32_t material, uint64_t vertices);
  const GltfElements* attribute(const Source& source, const std::string& name,
                                std::initializer_list<std::string_view> types,
                                std::initializer_list<GltfComponent> components, uint64_t vertices);
  void add_morphs(const Source& source, const Key& key, GltfVertices& vertices);

  const GltfDocument& document_;
  GltfBuffers& buffers_;
  GltfAccessors& accessors_;
  GltfMaterials& materials_;
  struct Decoded {
    DracoMesh mesh;
    std::map<std::string, GltfElements> elements;
  };
  std::map<std::pair<uint32_t, uint32_t>, Decoded> draco_;  // by mesh and primitive
  std::map<Key, PreparedMesh> meshes_;
  std::vector<GltfTexcoords> texcoords_;
  std::map<const GltfElements*, std::vector<uint32_t>>
      same_texcoords_;  // texture coordinates that differ only in their map
  uint64_t without_triangles_ = 0, without_positions_ = 0, incomplete_ = 0, morphed_ = 0, other_set_ = 0;
};

}  // namespace vox
