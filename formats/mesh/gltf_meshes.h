// Meshes of a glTF whose primitives' accessors and materials are found and checked, before anything is
// converted.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "formats/mesh/gltf_draco.h"
#include "formats/mesh/gltf_materials.h"
#include "formats/mesh/gltf_primitives.h"
#include "formats/mesh/gltf_vertices.h"

namespace vox {

// Texture coordinates as triangles sample them. Primitives whose elements and maps agree share them.
struct GltfTexcoords {
  const GltfElements* elements = nullptr;
  GltfUvMap map;
  VertexRange range;  // the vertices that some primitive names

  bool operator==(const GltfTexcoords& other) const { return elements == other.elements && map == other.map; }
};

struct PreparedPrimitive {
  uint32_t number = 0;  // place in its mesh
  GltfCorners corners;
  uint32_t vertices = 0;              // into PreparedMesh::vertices
  uint32_t texcoords = scene::kNone;  // into GltfMeshes::texcoords()
  uint32_t material = 0;              // into GltfMaterials::uses()
};

struct PreparedMesh {
  std::vector<PreparedPrimitive> primitives;  // only those with triangles
  std::vector<GltfVertices> vertices;
  std::vector<VertexRange> ranges;  // for each of `vertices`, the range that some primitive names
  std::map<const GltfElements*, std::vector<uint32_t>> same_positions;  // into `vertices`, by positions
  uint64_t triangles = 0;
};

class GltfMeshes {
 public:
  // All must outlive this object.
  GltfMeshes(const GltfDocument& document, GltfBuffers& buffers, GltfAccessors& accessors,
             GltfMaterials& materials);

  // Decodes the primitives that Draco has compressed in the meshes that are shown.
  void decode(const std::vector<GltfInstance>& instances);

  // Throws Error, except for indices out of range: see find_ranges().
  const PreparedMesh& prepare(const GltfInstance& instance);

  // Looks at all indices of the prepared meshes, to find the ranges of vertices that they name.
  void find_ranges();

  const std::vector<GltfTexcoords>& texcoords() const { return texcoords_; }

  void log_what_is_special() const;

 private:
  // The weights decide only where there are morph targets.
  using Key = std::tuple<uint32_t, bool, std::vector<double>>;  // mesh, skinned, weights
  struct Source {
    uint32_t number;  // the primitive's place in its mesh
    const GltfPrimitive* primitive;
    const DracoMesh* draco;  // null without compression
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
      same_texcoords_;  // texture coordinates that differ in their map alone
  uint64_t without_triangles_ = 0, without_positions_ = 0, incomplete_ = 0, morphed_ = 0, other_set_ = 0;
};

}  // namespace vox
