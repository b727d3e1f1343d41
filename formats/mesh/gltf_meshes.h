// Meshes of a glTF with what their primitives name found and checked, before anything is converted.
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

// Texture coordinates as triangles sample them. Primitives that agree in this share them.
struct GltfTexcoords {
  const GltfElements* elements = nullptr;
  GltfUvMap map;
  VertexRange range;  // that some primitive names

  bool operator==(const GltfTexcoords& other) const { return elements == other.elements && map == other.map; }
};

struct PreparedPrimitive {
  uint32_t number = 0;  // in its mesh
  GltfCorners corners;
  uint32_t vertices = 0;              // into PreparedMesh::vertices
  uint32_t texcoords = scene::kNone;  // into GltfMeshes::texcoords()
  uint32_t material = 0;              // into GltfMaterials::uses()
};

struct PreparedMesh {
  std::vector<PreparedPrimitive> primitives;  // those that have triangles
  std::vector<GltfVertices> vertices;
  std::vector<VertexRange> ranges;  // of each of these, that some primitive names
  std::map<const GltfElements*, std::vector<uint32_t>> same_positions;  // of these, those that agree in them
  uint64_t triangles = 0;
};

class GltfMeshes {
 public:
  // All must outlive this.
  GltfMeshes(const GltfDocument& document, GltfBuffers& buffers, GltfAccessors& accessors,
             GltfMaterials& materials);

  // Decodes what Draco has compressed of the meshes that are shown.
  void decode(const std::vector<GltfInstance>& instances);

  // Throws Error, except for indices out of range: see find_ranges().
  const PreparedMesh& prepare(const GltfInstance& instance);

  // Looks at all indices of what has been prepared.
  void find_ranges();

  const std::vector<GltfTexcoords>& texcoords() const { return texcoords_; }

  void log_what_is_special() const;

 private:
  // The weights decide only where there are morph targets.
  using Key = std::tuple<uint32_t, bool, std::vector<double>>;  // mesh, skinned, weights
  struct Source {
    uint32_t number;  // of the primitive in its mesh
    const GltfPrimitive* primitive;
    const DracoMesh* draco;  // null without
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
      same_texcoords_;  // those that differ in their map alone
  uint64_t without_triangles_ = 0, without_positions_ = 0, incomplete_ = 0, morphed_ = 0, other_set_ = 0;
};

}  // namespace vox
