// Turns the materials of a glTF into those of a scene, with the images that they show.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "formats/images/image.h"
#include "formats/mesh/gltf_buffers.h"
#include "formats/mesh/gltf_document.h"
#include "formats/mesh/gltf_emission.h"
#include "formats/mesh/texture_files.h"
#include "libvox/scene/scene.h"

namespace vox {

// Takes the materials that are used, in order of their first use.
class GltfMaterials {
 public:
  // `document` and `buffers` must outlive this object.
  GltfMaterials(const GltfDocument& document, GltfBuffers& buffers, TextureFiles files);

  struct Use {
    scene::Material material;          // its image is one of load()'s
    bool textured = false;             // whether it needs texture coordinates:
    uint32_t set = 0;                  // TEXCOORD_n
    GltfUvMap map;                     // from these to what is sampled
    std::array<double, 3> emission{};  // vertex colours do not multiply it; 0 where images show it
  };

  // Returns the index into uses() of a material of the file; kNone is glTF's default material.
  uint32_t use(uint32_t material);

  const std::vector<Use>& uses() const { return uses_; }

  // Decodes the images, in parallel, and gives the scene materials and images. Call it once.
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

}  // namespace vox
