// Meshes of a glTF file whose primitives' accessors and materials are found and checked before anything is
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

// Texture coordinates as triangles sample them. Primitives with equal elements and maps share them.
struct GltfTexcoords {
  const GltfElements* elements = nullptr;
  GltfUvMap map;
  VertexRange range;  // the vertices that primitives refer to

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
  std::vector<VertexRange> ranges;  // for each of `vertices`, the range that primitives refer to
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

  // Reads all indices of the prepared meshes to find the ranges of vertices that they refer to.
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
