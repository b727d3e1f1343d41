// Converts the materials of a glTF file into those of a scene, with their images.
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

// Converts the materials that are used, in order of their first use.
class GltfMaterials {
 public:
  // `document` and `buffers` must outlive this object.
  GltfMaterials(const GltfDocument& document, GltfBuffers& buffers, TextureFiles files);

  struct Use {
    scene::Material material;          // its image is one of the loader's
    bool textured = false;             // true if it needs texture coordinates:
    uint32_t set = 0;                  // their set, the n of TEXCOORD_n
    GltfUvMap map;                     // from these to the sampled ones
    std::array<double, 3> emission{};  // not multiplied by vertex colours; 0 if an image shows the emission
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

}  // namespace vox
