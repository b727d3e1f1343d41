#include "formats/mesh/gltf_scene.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "formats/mesh/gltf_document.h"
#include "formats/mesh/gltf_json.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/surface.h"

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
    uses_.push_back(at_item("materials", material, [&] { return read(source); }));
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
          "material '{}': its emissive texture is mapped differently from its color texture; the emission "
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
    log_warning("texture {} uses {}, which is not supported; the material's color is used instead",
                use.texture, texture.unread);
    return scene::kNone;
  }
  if (texture.image == scene::kNone) return scene::kNone;  // allowed by the specification
  return at_item("textures", use.texture, [&] { return add_image(texture.image); });
}

uint32_t GltfMaterials::add_image(uint32_t index) {
  const GltfImage& image = item_of(document_.images, index, "images");
  auto [known, is_new] = image_of_image_.try_emplace(index, scene::kNone);
  if (!is_new) return known->second;
  std::string name = image.name.empty() ? list_place("images", index) : image.name;
  return known->second = at_item("images", index, [&]() -> uint32_t {
           if (image.view != scene::kNone) {
             auto [same, first] = image_of_view_.try_emplace(image.view, scene::kNone);
             if (first) same->second = loader_.add_embedded(buffers_.view(image.view), name);
             return same->second;
           }
           if (image.uri.empty()) throw Error("has neither 'uri' nor 'bufferView'");
           if (auto data = data_of_uri(image.uri)) return loader_.add_embedded(*data, name);
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

namespace {

using ImageKey = std::tuple<uint32_t, uint32_t, std::array<float, 4>, std::array<double, 3>>;

// Gives the code of a channel's sum for each pair of codes of the base texel and the emissive texel.
using SumTable = std::vector<std::array<uint8_t, 256>>;

SumTable sum_table(double base, double emission) {
  SumTable table(256);
  for (size_t b = 0; b < 256; ++b)
    for (size_t e = 0; e < 256; ++e)
      table[b][e] = scene::linear_to_srgb(base * scene::srgb_to_linear(static_cast<uint8_t>(b)) +
                                          emission * scene::srgb_to_linear(static_cast<uint8_t>(e)));
  return table;
}

// Returns the texel of `image` at the place of texel (x, y) in a picture of width × height; white without an
// image.
scene::Rgba8 texel_at(const scene::Image* image, uint64_t x, uint64_t y, uint64_t width, uint64_t height) {
  if (!image) return {255, 255, 255, 255};
  uint64_t row = (2 * y + 1) * image->height / (2 * height),
           column = (2 * x + 1) * image->width / (2 * width);
  return image->pixels[row * image->width + column];
}

// Returns the sum of two images. It is as large as the larger one, and texel by texel if both are equally
// large. Alpha is the base's.
scene::Image sum_of(const scene::Image* base, Vec3d base_color, const scene::Image* emissive,
                    const std::array<double, 3>& color) {
  scene::Image sum;
  sum.width = std::max(base ? base->width : 1, emissive ? emissive->width : 1);
  sum.height = std::max(base ? base->height : 1, emissive ? emissive->height : 1);
  sum.name = base && emissive ? base->name + " with " + emissive->name : (base ? base : emissive)->name;
  sum.pixels.resize(size_t{sum.width} * sum.height);
  SumTable red = sum_table(base_color.x, color[0]), green = sum_table(base_color.y, color[1]),
           blue = sum_table(base_color.z, color[2]);
  parallel_for(uint64_t{0}, uint64_t{sum.height}, [&](uint64_t y) {
    for (uint64_t x = 0; x < sum.width; ++x) {
      scene::Rgba8 b = texel_at(base, x, y, sum.width, sum.height);
      scene::Rgba8 e = texel_at(emissive, x, y, sum.width, sum.height);
      sum.pixels[y * sum.width + x] = {red[b.r][e.r], green[b.g][e.g], blue[b.b][e.b], b.a};
    }
  });
  return sum;
}

void empty_unused_images(scene::Scene& scene) {
  std::vector<bool> used(scene.images.size());
  for (const scene::Material& material : scene.materials)
    if (material.image != scene::kNone) used[material.image] = true;
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i]) scene.images[i] = {};
}

}  // namespace

void add_emission(scene::Scene& scene, const std::vector<Emission>& emissions) {
  auto usable = [&](uint32_t image) { return image != scene::kNone && scene.images[image].width > 0; };
  std::map<ImageKey, uint32_t> sums;
  for (const Emission& emission : emissions) {
    scene::Material& material = scene.materials[emission.material];
    uint32_t base = usable(material.image) ? material.image : scene::kNone;
    uint32_t light = usable(emission.image) ? emission.image : scene::kNone;
    Vec3d color = scene::base_linear(material);
    // If the texture could not be read, it is unknown where the surface emits light.
    if (light == scene::kNone && emission.image != scene::kNone) continue;
    if (base == scene::kNone && light == scene::kNone) {
      auto sum = [](double a, double b) { return static_cast<float>(std::min(a + b, 1.0)); };
      material.base_color = {sum(color.x, emission.color[0]), sum(color.y, emission.color[1]),
                             sum(color.z, emission.color[2]), material.base_color[3]};
      continue;
    }
    auto [known, is_new] = sums.try_emplace({base, light, material.base_color, emission.color},
                                            static_cast<uint32_t>(scene.images.size()));
    if (is_new)
      scene.images.push_back(sum_of(base == scene::kNone ? nullptr : &scene.images[base], color,
                                    light == scene::kNone ? nullptr : &scene.images[light], emission.color));
    material.image = known->second;
    material.base_color = {1, 1, 1, material.base_color[3]};
  }
  if (!emissions.empty()) empty_unused_images(scene);
}

}  // namespace vox
