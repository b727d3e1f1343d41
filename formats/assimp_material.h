// Materials and textures of a scene that Assimp has read.
#pragma once

#include <assimp/scene.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/image.h"
#include "libvox/scene/scene.h"

namespace vox {

// From texture coordinates as Assimp gives them, v up in every format, to those that are sampled, v down.
struct UvMap {
  uint32_t channel = 0;  // of aiMesh::mTextureCoords
  double u_u = 1, u_v = 0, u_0 = 0;
  double v_u = 0, v_v = 1, v_0 = 0;

  Vec2f operator()(const aiVector3D& uv) const {
    double u = uv.x, v = 1 - uv.y;
    return {static_cast<float>(u_u * u + u_v * v + u_0), static_cast<float>(v_u * u + v_v * v + v_0)};
  }
};

// Reads those materials that are used, in order of their first use, and their images at the end.
class AssimpMaterials {
 public:
  // `folder` is where texture files are looked for.
  AssimpMaterials(const aiScene& scene, std::filesystem::path folder);

  // Index that this material will have in the scene.
  uint32_t use(uint32_t assimp_material);

  const UvMap& uv_map(uint32_t material) const { return uses_[material].uv; }
  bool linear_colors(uint32_t material) const { return uses_[material].linear_colors; }

  void move_into(Scene& scene);

 private:
  struct Use {
    Material material;
    UvMap uv;
    bool linear_colors = false;           // as glTF's are
    bool texture_replaces_color = false;  // instead of multiplying it
  };

  Use read(const aiMaterial& source);
  uint32_t add_image(const aiMaterial& source, const std::string& name);
  uint32_t add_embedded(uint32_t index);

  const aiScene& scene_;
  std::filesystem::path folder_;
  bool texture_replaces_color_;
  std::vector<uint32_t> index_;  // Assimp's material → ours, kNone until it is used
  std::vector<Use> uses_;
  ImageLoader loader_;
  std::map<uint32_t, uint32_t> embedded_;  // Assimp's texture → the loader's image
  std::set<std::string> missing_;          // textures warned of
};

}  // namespace vox
