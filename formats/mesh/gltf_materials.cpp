#include "formats/mesh/gltf_materials.h"

#include <fmt/format.h>

#include <utility>

#include "formats/mesh/data_uri.h"
#include "formats/mesh/gltf_place.h"
#include "libvox/base/log.h"

namespace vox {
namespace {

bool is_black(const std::array<float, 4>& color) {
  return color[0] == 0 && color[1] == 0 && color[2] == 0;
}

}  // namespace

GltfMaterials::GltfMaterials(const GltfDocument& document, GltfBuffers& buffers, TextureFiles files)
    : document_(document), buffers_(buffers), files_(std::move(files)) {}

uint32_t GltfMaterials::use(uint32_t material) {
  auto [known, is_new] = index_.try_emplace(material, static_cast<uint32_t>(uses_.size()));
  if (!is_new) return known->second;
  if (material == scene::kNone) {
    uses_.push_back(read({}));
  } else {
    const GltfMaterial& source = item_of(document_.materials, material, "materials");
    uses_.push_back(
        at_place([&] { return list_place("materials", material); }, [&] { return read(source); }));
  }
  return known->second;
}

GltfMaterials::Use GltfMaterials::read(const GltfMaterial& source) {
  Use use;
  use.material.name = source.name;
  use.material.base_color = source.base_color;
  use.material.alpha_cutoff = source.alpha_cutoff;
  read_textures(source, use);
  return use;
}

void GltfMaterials::read_textures(const GltfMaterial& source, Use& use) {
  GltfTextureUse base = source.base_texture, light = source.emission_texture;
  auto wraps = [&](const GltfTextureUse& u) {
    const GltfTexture& texture = item_of(document_.textures, u.texture, "textures");
    return std::pair(texture.wrap_u, texture.wrap_v);
  };
  bool emits = source.emission != std::array{0.0, 0.0, 0.0};
  if (base.texture != scene::kNone && light.texture != scene::kNone &&
      (base.set != light.set || base.map != light.map || wraps(base) != wraps(light))) {
    if (is_black(source.base_color)) {
      base.texture = scene::kNone;  // the texture has no effect
    } else {
      log_warning(
          "material '{}': its emissive texture is mapped differently from its colour texture; the emission "
          "is ignored",
          source.name);
      light.texture = scene::kNone;
      emits = false;
    }
  }
  const GltfTextureUse& shown = base.texture != scene::kNone ? base : light;
  if (shown.texture != scene::kNone) {
    std::tie(use.material.wrap_u, use.material.wrap_v) = wraps(shown);
    use.textured = true, use.set = shown.set, use.map = shown.map;
  }
  use.material.image = image_of(base);
  if (emits) {
    bool light_is_textured = light.texture != scene::kNone;
    uint32_t image = image_of(light);
    if (light_is_textured && image == scene::kNone) return;  // not found, which has been logged
    emissions_.push_back(
        {.material = static_cast<uint32_t>(uses_.size()), .color = source.emission, .image = image});
    if (!use.textured) use.emission = source.emission;
  }
}

uint32_t GltfMaterials::image_of(const GltfTextureUse& use) {
  if (use.texture == scene::kNone) return scene::kNone;
  const GltfTexture& texture = item_of(document_.textures, use.texture, "textures");
  if (!texture.unread.empty()) {
    log_warning("texture {} uses {}, which is not supported; the material's colour is used instead",
                use.texture, texture.unread);
    return scene::kNone;
  }
  if (texture.image == scene::kNone) return scene::kNone;  // allowed by the specification
  return at_place([&] { return list_place("textures", use.texture); },
                  [&] { return add_image(texture.image); });
}

uint32_t GltfMaterials::add_image(uint32_t index) {
  const GltfImage& image = item_of(document_.images, index, "images");
  auto [known, is_new] = image_of_image_.try_emplace(index, scene::kNone);
  if (!is_new) return known->second;
  std::string name = image.name.empty() ? list_place("images", index) : image.name;
  return known->second = at_place([&] { return list_place("images", index); },
                                  [&]() -> uint32_t {
                                    if (image.view != scene::kNone) {
                                      auto [same, first] =
                                          image_of_view_.try_emplace(image.view, scene::kNone);
                                      if (first)
                                        same->second = loader_.add_embedded(buffers_.view(image.view), name);
                                      return same->second;
                                    }
                                    if (image.uri.empty()) throw Error("has neither 'uri' nor 'bufferView'");
                                    if (auto data = data_of_uri(image.uri))
                                      return loader_.add_embedded(*data, name);
                                    auto file = files_.find(image.uri);
                                    return file ? loader_.add_file(*file) : scene::kNone;
                                  });
}

void GltfMaterials::finish(scene::Scene& scene) {
  files_.warn_of_missing();
  scene.images = loader_.load();
  for (const Use& use : uses_) scene.materials.push_back(use.material);
  add_emission(scene, emissions_);
  drop_empty_images(scene);
}

}  // namespace vox
