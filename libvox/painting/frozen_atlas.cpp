#include "libvox/painting/frozen_atlas.h"

#include <tbb/parallel_for.h>

#include <atomic>
#include <optional>

#include "libvox/scene/oklab.h"
#include "libvox/scene/surface.h"
#include "libvox/scene/texture.h"

namespace vox::painting {
namespace {

// Returns the color that paint shows over the color below, or nothing if it does not show.
std::optional<scene::Rgb8> shown(const Layer& layer, Paint paint, scene::Rgb8 below) {
  if (layer.blends != 0) return color_over(paint, below);
  if (paint.share <= kFullShare / 2) return std::nullopt;
  return color_of(paint);
}

// The colors of the materials below the paint.
class ColorsBelow {
 public:
  explicit ColorsBelow(const scene::Scene& scene) : scene_(scene) {
    for (const scene::Material& material : scene.materials) colors_.emplace_back(material);
  }

  scene::Rgb8 at(uint32_t material, Vec2<double> uv) const {
    const scene::Material& m = scene_.materials[material];
    if (!scene::has_image(scene_, m)) return colors_[material].color({255, 255, 255, 255});
    const scene::Image& image = scene_.images[m.image];
    const uint32_t x = scene::wrapped_texel(uv.x, image.width, scene::Wrap::Clamp),
                   y = scene::wrapped_texel(uv.y, image.height, scene::Wrap::Clamp);
    return colors_[material].color(image.pixels[uint64_t{y} * image.width + x]);
  }

 private:
  const scene::Scene& scene_;
  std::vector<scene::MaterialColors> colors_;
};

// Calls body(slot, key) for all texels, on all threads.
template <class Body>
void for_each_texel(const FrozenAtlas& atlas, const Body& body) {
  tbb::parallel_for(tbb::blocked_range<uint64_t>(0, atlas.cells.size(), 1 << 14), [&](const auto& range) {
    for (uint64_t slot = range.begin(); slot < range.end(); ++slot)
      if (const uint64_t cell = atlas.cells[slot]; cell != hash::kEmptyCell<uint64_t>)
        body(slot, kCellFormat.key(cell));
  });
}

}  // namespace

AtlasRef ref(const FrozenAtlas& atlas, const uint64_t* cells) {
  AtlasRef ref = {atlas.table, atlas.keys};
  ref.table.ref.cells = const_cast<uint64_t*>(cells);  // the table's ref is also used for building
  return ref;
}

AtlasRef ref(const FrozenAtlas& atlas) {
  return ref(atlas, atlas.cells.data());
}

scene::SurfacePaint surface_paint(const FrozenAtlas& atlas) {
  return {.size = atlas.keys.size,
          .materials = atlas.painted,
          .color = [&atlas](uint32_t material, Vec2<double> uv, scene::Rgb8 below) {
            const Layer& layer = atlas.layers[material];
            const Vec2<uint32_t> texel = {scene::wrapped_texel(uv.x, atlas.keys.size, layer.wrap_u),
                                          scene::wrapped_texel(uv.y, atlas.keys.size, layer.wrap_v)};
            const uint32_t slot = ref(atlas).table.find(atlas.keys.key(material, texel));
            if (slot == hash::kNoSlot) return below;
            return shown(layer, atlas.paints[slot], below).value_or(below);
          }};
}

std::vector<uint8_t> painted_layers(const FrozenAtlas& atlas) {
  std::vector<std::atomic<uint8_t>> painted(atlas.layers.size());
  for_each_texel(atlas, [&](uint64_t, uint64_t key) {
    std::atomic<uint8_t>& layer = painted[atlas.keys.layer(key)];
    if (layer.load(std::memory_order_relaxed) == 0) layer.store(1, std::memory_order_relaxed);
  });
  return {painted.begin(), painted.end()};
}

void index_atlas(FrozenAtlas& atlas, const scene::Scene& scene, const scene::Palette& palette) {
  const scene::NearestEntry nearest(palette);
  const ColorsBelow below(scene);
  for_each_texel(atlas, [&](uint64_t slot, uint64_t key) {
    const uint32_t layer = atlas.keys.layer(key);
    const Vec2<uint32_t> texel = atlas.keys.texel(key);
    const Vec2<double> middle = {(texel.x + 0.5) / atlas.keys.size, (texel.y + 0.5) / atlas.keys.size};
    const auto color = shown(atlas.layers[layer], atlas.paints[slot], below.at(layer, middle));
    atlas.cells[slot] = kCellFormat.cell(key, color ? nearest(*color) : kNothingShown);
  });
}

namespace {

Vec3d light_of(Paint paint) {
  return Vec3d{static_cast<double>(paint.r), static_cast<double>(paint.g), static_cast<double>(paint.b)};
}

}  // namespace

Paint full_paint(scene::Rgb8 color) {
  const Vec3d linear = scene::srgb_to_linear(color) * kFullShare;
  const auto rounded = [](double value) { return static_cast<uint16_t>(value + 0.5); };
  return {rounded(linear.x), rounded(linear.y), rounded(linear.z), kFullShare};
}

scene::Rgb8 color_over(Paint paint, scene::Rgb8 below) {
  const Vec3d light =
      light_of(paint) + scene::srgb_to_linear(below) * static_cast<double>(kFullShare - paint.share);
  return scene::linear_to_srgb(light * (1.0 / kFullShare));
}

scene::Rgb8 color_of(Paint paint) {
  return scene::linear_to_srgb(light_of(paint) * (1.0 / paint.share));
}

}  // namespace vox::painting
