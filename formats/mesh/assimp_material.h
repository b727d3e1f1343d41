// Materials and textures of a scene that was read by Assimp.
#pragma once

#include <assimp/scene.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

// Maps Assimp's texture coordinates, with v up for every format, to the sampled ones, with v down.
struct UvMap {
  uint32_t channel = 0;  // index into aiMesh::mTextureCoords
  double u_u = 1, u_v = 0, u_0 = 0;
  double v_u = 0, v_v = 1, v_0 = 0;

  Vec2f operator()(const aiVector3D& uv) const {
    double u = uv.x, v = 1 - uv.y;
    return {static_cast<float>(u_u * u + u_v * v + u_0), static_cast<float>(v_u * u + v_v * v + v_0)};
  }
};

// The source of an image's pixels: the name of a file, the bytes of a file, or decoded pixels.
struct ImageSource {
  std::string name;
  std::vector<std::byte> file;
  scene::Image image;
};

// Reads the materials that are used, in order of their first use.
class AssimpMaterials {
 public:
  struct Use {
    scene::Material material;  // its image is an index into images()
    UvMap uv;
  };

  explicit AssimpMaterials(const aiScene& scene);

  // Returns the index into uses() of one of Assimp's materials.
  uint32_t use(uint32_t assimp_material);

  const std::vector<Use>& uses() const { return uses_; }
  std::vector<ImageSource> take_images() { return std::move(images_); }

 private:
  Use read(const aiMaterial& source);
  uint32_t add_image(const std::string& name);

  const aiScene& scene_;
  std::vector<uint32_t> index_;  // index into uses() of each of Assimp's materials, kNone until it is used
  std::vector<Use> uses_;
  std::vector<ImageSource> images_;
  std::map<std::string, uint32_t> image_of_name_;
};

// True if a texture replaces the colour, which then is only a default. This holds for the formats of
// modelling programs; in MTL the two are multiplied.
bool texture_replaces_color(const aiScene& scene);

}  // namespace vox
