#include "libvox/scene/palette.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "libvox/base/error.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/surface.h"
#include "libvox/scene/texture.h"

namespace vox::scene {
namespace {

std::vector<IndexedMaterial> plain_materials(const Scene& scene) {
  std::vector<IndexedMaterial> materials;
  for (const Material& material : scene.materials)
    materials.push_back({.invisible = !is_solid(material, base_alpha(material)),
                         .wrap_u = material.wrap_u,
                         .wrap_v = material.wrap_v});
  return materials;
}

// Gives the materials whose images have holes a texture with these alone. Materials with the same holes share one.
void add_masks(const Scene& scene, IndexedScene& indexed) {
  std::map<std::tuple<uint32_t, double, float>, uint32_t> known;
  for (size_t i = 0; i < scene.materials.size(); ++i) {
    const Material& material = scene.materials[i];
    if (!has_image(scene, material) || !(material.alpha_cutoff > 0)) continue;
    auto [found, is_new] =
        known.try_emplace({material.image, base_alpha(material), material.alpha_cutoff}, kNone);
    if (is_new && has_holes(scene.images[material.image], material)) {
      found->second = static_cast<uint32_t>(indexed.textures.size());
      indexed.textures.push_back(mask_texture(scene.images[material.image], material));
    }
    indexed.materials[i].texture = found->second;
  }
}

// set_color(result, color) sets the color of a material without a texture, and make_texture(image, material) makes the
// texture of one that has an image.
template <class SetColor, class MakeTexture>
void index_by_color(const Scene& scene, SetColor set_color, MakeTexture make_texture, IndexedScene& indexed) {
  std::map<std::tuple<uint32_t, double, double, double, double, float>, uint32_t> known;
  for (size_t i = 0; i < scene.materials.size(); ++i) {
    const Material& material = scene.materials[i];
    IndexedMaterial& result = indexed.materials[i];
    set_color(result, base_color(material));
    result.vertex_colors = has_vertex_colors(scene, material);
    if (!has_image(scene, material)) continue;
    Vec3d base = base_linear(material);
    bool opaque = !(material.alpha_cutoff > 0);  // then neither alpha nor cutoff matters
    auto [found, is_new] =
        known.try_emplace({material.image, base.x, base.y, base.z, opaque ? 1 : base_alpha(material),
                           opaque ? 0 : material.alpha_cutoff},
                          static_cast<uint32_t>(indexed.textures.size()));
    if (is_new) indexed.textures.push_back(make_texture(scene.images[material.image], material));
    result.texture = found->second;
  }
}

size_t lut_cell(Rgb8 color) {
  return static_cast<size_t>(color.r >> 3 << 10 | color.g >> 3 << 5 | color.b >> 3);
}

uint8_t lut_entry(const std::vector<uint32_t>& lut, Rgb8 color) {
  size_t cell = lut_cell(color);
  return lut[cell >> 3] >> (cell & 7) * 4 & 15;
}

// A cell stands for the color whose lower bits repeat the upper bits of each channel, so that black and
// white are exact.
std::vector<uint32_t> make_color_lut(const NearestEntry& nearest) {
  std::vector<uint32_t> lut((1 << 15) / 8);
  auto widen = [](size_t bits) { return static_cast<uint8_t>((bits & 31) << 3 | (bits & 31) >> 2); };
  for (size_t cell = 0; cell < 1 << 15; ++cell)
    lut[cell >> 3] |= uint32_t{nearest({widen(cell >> 10), widen(cell >> 5), widen(cell)})} << (cell & 7) * 4;
  return lut;
}

template <class Entry>
struct ShareTally {
  Entry entry;  // entry(SurfaceSample) returns a palette entry
  std::array<uint64_t, kPaletteSize> weights = {};

  void add(const SurfaceSample& sample) { weights[entry(sample)] += sample.weight; }
  void merge(const ShareTally& other) {
    for (size_t i = 0; i < weights.size(); ++i) weights[i] += other.weights[i];
  }
};

template <class Entry>
std::array<double, kPaletteSize> count_shares(const SceneSurface& surface, Entry entry) {
  auto weights = tally_surface(surface, ShareTally<Entry>{entry}).weights;
  uint64_t total = std::accumulate(weights.begin(), weights.end(), uint64_t{0});
  std::array<double, kPaletteSize> shares = {};
  for (size_t i = 0; i < weights.size() && total > 0; ++i)
    shares[i] = static_cast<double>(weights[i]) / static_cast<double>(total);
  return shares;
}

}  // namespace

IndexedScene index_scene(const Scene& scene, const Palette& palette, MaterialMode mode,
                         const SurfacePaint* paint) {
  if (mode == MaterialMode::Texture) return index_scene(scene, palette, SceneSurface(scene, paint));
  IndexedScene indexed;
  indexed.palette = palette;
  indexed.materials = plain_materials(scene);
  if (mode == MaterialMode::None) {
    add_masks(scene, indexed);
  } else if (has_named_entries(mode)) {
    std::vector<uint8_t> entries = named_entries(scene, palette, mode);
    for (size_t i = 0; i < entries.size(); ++i) indexed.materials[i].index = entries[i];
    add_masks(scene, indexed);
    indexed.shares =
        count_shares(SceneSurface(scene), [&](const SurfaceSample& s) { return entries[s.material]; });
  } else {
    index_by_color(
        scene, [](IndexedMaterial& result, Rgb8 color) { result.color = packed_color(color); }, color_texture,
        indexed);
  }
  return indexed;
}

Palette named_palette(const std::vector<NamedColor>& list) {
  Palette palette;
  for (const auto& [name, color, members] : list) {
    palette.colors[palette.count] = color;
    palette.names[palette.count] = name;
    for (const std::string& member : members)
      palette.members.push_back({member, static_cast<uint8_t>(palette.count)});
    ++palette.count;
  }
  return palette;
}

void add_named_color(std::vector<NamedColor>& list, const std::string& name, Rgb8 color) {
  const bool is_known =
      std::ranges::any_of(list, [&](const NamedColor& named) { return named.color == color; });
  if (!is_known && list.size() < kMostNamedColors) list.push_back({name, color});
}

IndexedScene index_scene(const Scene& scene, const MeshMaterials& materials) {
  IndexedScene indexed;
  indexed.named_colors = materials.list;
  indexed.materials = plain_materials(scene);
  for (size_t i = 0; i < materials.of_material.size(); ++i)
    indexed.materials[i].color = packed_color(materials.list[materials.of_material[i]].color);
  add_masks(scene, indexed);
  return indexed;
}

IndexedScene index_scene(const Scene& scene, const Palette& palette, const SceneSurface& surface) {
  IndexedScene indexed;
  indexed.palette = palette;
  indexed.materials = plain_materials(scene);
  NearestEntry nearest(palette);
  index_by_color(
      scene, [&](IndexedMaterial& result, Rgb8 color) { result.index = nearest(color); },
      [&](const Image& image, const Material& material) { return index_texture(image, material, nearest); },
      indexed);
  auto uses_lut = [](const IndexedMaterial& material) { return material.vertex_colors; };
  if (std::any_of(indexed.materials.begin(), indexed.materials.end(), uses_lut))
    indexed.color_lut = make_color_lut(nearest);
  indexed.shares = count_shares(surface, [&](const SurfaceSample& s) {
    return uses_lut(indexed.materials[s.material]) ? lut_entry(indexed.color_lut, s.color) : nearest(s.color);
  });
  return indexed;
}

namespace {

// The sum of the squares of what differs, weighted roughly as the eye weighs red, green and blue.
double unlike(const Vec3d& a, const Vec3d& b) {
  constexpr Vec3d kWeights = {0.3, 0.5, 0.2};
  const Vec3d apart = a - b;
  return dot(product(apart, apart), kWeights);
}

}  // namespace

ColorMix mix_of(const Palette& palette, Rgb8 color) {
  if (palette.count == 0) throw Error("the palette has no colors to mix");
  std::array<Vec3d, kPaletteSize> light = {};
  for (uint32_t i = 0; i < palette.count; ++i) light[i] = srgb_to_linear(palette.colors[i]);
  const Vec3d wanted = srgb_to_linear(color);
  ColorMix mix = {};
  Vec3d left = {0, 0, 0};  // of the light that is wanted of all parts so far
  for (uint8_t& part : mix) {
    left = left + wanted;
    uint32_t best = 0;
    for (uint32_t i = 1; i < palette.count; ++i)
      if (unlike(left, light[i]) < unlike(left, light[best])) best = i;
    part = static_cast<uint8_t>(best);
    left = left - light[best];
  }
  const auto lightness = [&](uint8_t entry) { return linear_to_oklab(light[entry]).x; };
  std::ranges::stable_sort(mix, [&](uint8_t a, uint8_t b) {
    return lightness(a) != lightness(b) ? lightness(a) < lightness(b) : a < b;
  });
  return mix;
}

}  // namespace vox::scene
