#include "formats/mesh/gltf_material_json.h"

#include <fmt/format.h>

#include <cmath>

#include "formats/images/webp.h"

namespace vox {
namespace {

struct WrapModes {
  scene::Wrap u = scene::Wrap::Repeat, v = scene::Wrap::Repeat;
};

scene::Wrap wrap_of(const GltfObject& sampler, std::string_view name) {
  constexpr uint64_t kRepeat = 10497, kClamp = 33071, kMirror = 33648;  // as in OpenGL
  uint64_t code = sampler.whole_or(name, kRepeat);
  if (code == kClamp) return scene::Wrap::Clamp;
  if (code == kMirror) return scene::Wrap::Mirror;
  if (code != kRepeat) throw Error(fmt::format("'{}' is {}, which is not a wrap mode", name, code));
  return scene::Wrap::Repeat;
}

// Returns the matrix of KHR_texture_transform: translation · rotation · scale. The rotation is
// counter-clockwise on screen, with v down.
GltfUvMap uv_map_of(const GltfObject& transform) {
  auto offset = transform.numbers_or<2>("offset", {0, 0}), scale = transform.numbers_or<2>("scale", {1, 1});
  double rotation = transform.number_or("rotation", 0);
  double cosine = std::cos(rotation), sine = std::sin(rotation);
  return {.u_u = cosine * scale[0],
          .u_v = sine * scale[1],
          .u_0 = offset[0],
          .v_u = -sine * scale[0],
          .v_v = cosine * scale[1],
          .v_0 = offset[1]};
}

GltfTextureUse texture_use(const GltfObject& owner, std::string_view name) {
  auto object = owner.object(name);
  if (!object) return {};
  GltfTextureUse use = {
      .texture = object->required_index("index"), .set = object->whole_of_32_bits("texCoord", 0), .map = {}};
  if (auto transform = object->extension("KHR_texture_transform")) {
    use.map = uv_map_of(*transform);
    use.set = transform->whole_of_32_bits("texCoord", use.set);
  }
  return use;
}

float unit(double value) {
  return value > 0 ? static_cast<float>(std::min(value, 1.0)) : 0.0f;
}

std::array<float, 4> factor(const GltfObject& owner, std::string_view name) {
  auto color = owner.numbers_or<4>(name, {1, 1, 1, 1});
  return {unit(color[0]), unit(color[1]), unit(color[2]), unit(color[3])};
}

void read_base(const GltfObject& object, GltfMaterial& material) {
  if (auto diffuse = object.extension("KHR_materials_pbrSpecularGlossiness")) {
    material.base_color = factor(*diffuse, "diffuseFactor");
    material.base_texture = texture_use(*diffuse, "diffuseTexture");
  } else if (auto surface = object.object("pbrMetallicRoughness")) {
    material.base_color = factor(*surface, "baseColorFactor");
    material.base_texture = texture_use(*surface, "baseColorTexture");
  }
}

// Reads the emission. An unlit material has none, because only its base colour is shown.
void read_emission(const GltfObject& object, GltfMaterial& material) {
  if (object.extension("KHR_materials_unlit")) return;
  material.emission = object.numbers_or<3>("emissiveFactor", {0, 0, 0});
  auto strong = object.extension("KHR_materials_emissive_strength");
  double strength = strong ? strong->number_or("emissiveStrength", 1) : 1;
  for (double& channel : material.emission) channel = std::max(channel * strength, 0.0);
  if (material.emission != std::array{0.0, 0.0, 0.0})
    material.emission_texture = texture_use(object, "emissiveTexture");
}

float cutoff_of(const GltfObject& object) {
  std::string mode = object.text_or("alphaMode", "OPAQUE");
  if (mode == "OPAQUE") return 0;
  if (mode == "BLEND") return 0.5f;
  if (mode == "MASK") return static_cast<float>(object.number_or("alphaCutoff", 0.5));
  throw Error(fmt::format("'alphaMode' is '{}', expected OPAQUE, MASK or BLEND", mode));
}

GltfTexture read_texture(const GltfObject& object, const std::vector<WrapModes>& samplers) {
  GltfTexture texture = {.image = object.index("source"), .unread = {}};
  if (auto webp = object.extension("EXT_texture_webp");
      webp && (can_read_webp() || texture.image == scene::kNone))
    texture.image = webp->required_index("source");
  if (texture.image == scene::kNone)
    for (const char* name : {"KHR_texture_basisu", "MSFT_texture_dds"})
      if (object.extension(name)) texture.unread = name;
  if (uint32_t sampler = object.index("sampler"); sampler != scene::kNone) {
    WrapModes modes = item_of(samplers, sampler, "samplers");
    texture.wrap_u = modes.u, texture.wrap_v = modes.v;
  }
  return texture;
}

}  // namespace

GltfMaterial read_gltf_material(const GltfObject& object) {
  GltfMaterial material;
  material.name = object.text_or("name", "");
  material.alpha_cutoff = cutoff_of(object);
  read_base(object, material);
  read_emission(object, material);
  return material;
}

GltfImage read_gltf_image(const GltfObject& object) {
  return {.name = object.text_or("name", ""),
          .uri = object.text_or("uri", ""),
          .view = object.index("bufferView")};
}

std::vector<GltfTexture> read_gltf_textures(const GltfObject& root) {
  std::vector<WrapModes> samplers;
  root.each("samplers", [&](const GltfObject& object) {
    samplers.push_back({.u = wrap_of(object, "wrapS"), .v = wrap_of(object, "wrapT")});
  });
  std::vector<GltfTexture> textures;
  root.each("textures",
            [&](const GltfObject& object) { textures.push_back(read_texture(object, samplers)); });
  return textures;
}

}  // namespace vox
