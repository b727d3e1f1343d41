#include "libvox/scene/texture.h"

#include <algorithm>
#include <array>
#include <memory>

#include "libvox/base/loops.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/surface.h"

namespace vox::scene {
namespace {

using Level = IndexedTexture::Level;

constexpr uint32_t kGroup = 32;  // texels that fill whole words of nibbles and of bits

// Linear light, multiplied by alpha.
struct Light {
  float r, g, b, a;

  void add(Light other, float weight) {
    r += other.r * weight, g += other.g * weight, b += other.b * weight, a += other.a * weight;
  }
};

class LightOfTexels {
 public:
  explicit LightOfTexels(const Material& material) {
    Vec3d base = base_linear(material);
    for (uint32_t i = 0; i < 256; ++i) {
      Vec3d linear = base * srgb_to_linear(static_cast<uint8_t>(i));
      r_[i] = static_cast<float>(linear.x), g_[i] = static_cast<float>(linear.y);
      b_[i] = static_cast<float>(linear.z);
      a_[i] = material.alpha_cutoff > 0 ? static_cast<float>(base_alpha(material) * i / 255) : 1;
    }
  }
  Light operator()(Rgba8 texel) const {
    float a = a_[texel.a];
    return {r_[texel.r] * a, g_[texel.g] * a, b_[texel.b] * a, a};
  }

 private:
  std::array<float, 256> r_, g_, b_, a_;
};

Rgb8 color_of(Light light) {
  if (!(light.a > 0)) return {};
  double scale = 1 / static_cast<double>(light.a);
  return linear_to_srgb(Vec3d{static_cast<double>(light.r) * scale, static_cast<double>(light.g) * scale,
                              static_cast<double>(light.b) * scale});
}

// The texels on the next larger mip level that texel `i` covers, and their weights. `from` and `to` are the
// sides of the larger and of the smaller level, in texels.
struct Cover {
  uint32_t first, count;
  std::array<float, 3> weights;

  Cover(uint32_t i, uint32_t from, uint32_t to) {
    if (from == to) {  // both are 1
      first = 0, count = 1, weights = {1};
    } else if (from % 2 == 0) {
      first = 2 * i, count = 2, weights = {0.5f, 0.5f};
    } else {  // 2 · to + 1 texels, each to / from as wide as a new one
      auto part = [&](uint32_t n) { return static_cast<float>(n) / static_cast<float>(from); };
      first = 2 * i, count = 3, weights = {part(to - i), part(to), part(i + 1)};
    }
  }
};

template <class Fetch>  // fetch(x, y) returns the Light of that texel of the previous level
std::unique_ptr<Light[]> shrink(const Level& from, const Level& to, Fetch fetch) {
  auto lights = std::make_unique_for_overwrite<Light[]>(size_t{to.width} * to.height);
  parallel_for(uint32_t{0}, to.height, [&](uint32_t y) {
    Cover rows(y, from.height, to.height);
    for (uint32_t x = 0; x < to.width; ++x) {
      Cover columns(x, from.width, to.width);
      Light sum = {0, 0, 0, 0};
      for (uint32_t j = 0; j < rows.count; ++j)
        for (uint32_t i = 0; i < columns.count; ++i)
          sum.add(fetch(columns.first + i, rows.first + j), rows.weights[j] * columns.weights[i]);
      lights[size_t{y} * to.width + x] = sum;
    }
  });
  return lights;
}

struct IndexedTexel {
  uint32_t index;  // or its color
  bool solid;
};

template <class Texel>  // texel(i) returns the IndexedTexel of texel i of the level
void write_level(IndexedTexture& texture, const Level& level, Texel texel) {
  uint64_t count = uint64_t{level.width} * level.height, groups = (count + kGroup - 1) / kGroup;
  parallel_for(tbb::blocked_range<uint64_t>(0, groups, 64), [&](const auto& range) {
    for (uint64_t group = range.begin(); group < range.end(); ++group) {
      uint64_t word = level.first_texel / kGroup + group;
      std::array<uint32_t, 4> nibbles = {};
      uint32_t holes = 0;
      for (uint64_t i = group * kGroup; i < std::min(count, (group + 1) * kGroup); ++i) {
        auto [index, solid] = texel(i);
        if (!texture.colors.empty())
          texture.colors[level.first_texel + i] = index;
        else
          nibbles[i % kGroup / 8] |= index << i % 8 * 4;
        holes |= static_cast<uint32_t>(!solid) << i % kGroup;
      }
      if (!texture.nibbles.empty()) std::copy(nibbles.begin(), nibbles.end(), &texture.nibbles[word * 4]);
      if (holes != 0 && !texture.opaque.empty()) texture.opaque[word] = ~holes;
    }
  });
}

enum class TexelsAre { Indices, Colors, Holes };

IndexedTexture empty_texture(const Image& image, TexelsAre form, bool holes) {
  IndexedTexture texture;
  uint64_t texels = 0;
  for (uint32_t w = image.width, h = image.height;; w = std::max(1u, w / 2), h = std::max(1u, h / 2)) {
    texture.levels.push_back({w, h, texels});
    texels += (uint64_t{w} * h + kGroup - 1) / kGroup * kGroup;
    if (w == 1 && h == 1) break;
  }
  if (form == TexelsAre::Indices)
    texture.nibbles.resize(texels / 8);
  else if (form == TexelsAre::Colors)
    texture.colors.resize(texels);
  if (holes) texture.opaque.resize(texels / kGroup, ~0u);
  return texture;
}

template <class Match>  // match(color) returns the palette index of an Rgb8, or the color as it is packed
IndexedTexture fill_texture(const Image& image, const Material& material, TexelsAre form, Match match) {
  IndexedTexture texture = empty_texture(image, form, has_holes(image, material));
  MaterialColors colors(material);
  write_level(texture, texture.levels[0], [&](uint64_t i) {
    Rgba8 texel = image.pixels[i];
    return IndexedTexel{match(colors.color(texel)), colors.solid(texel)};
  });
  LightOfTexels light_of(material);
  std::unique_ptr<Light[]> lights;
  for (size_t k = 1; k < texture.levels.size(); ++k) {
    const Level &before = texture.levels[k - 1], &level = texture.levels[k];
    lights = k == 1 ? shrink(before, level,
                             [&](uint32_t x, uint32_t y) {
                               return light_of(image.pixels[size_t{y} * before.width + x]);
                             })
                    : shrink(before, level,
                             [&](uint32_t x, uint32_t y) { return lights[size_t{y} * before.width + x]; });
    write_level(texture, level, [&](uint64_t i) {
      return IndexedTexel{match(color_of(lights[i])), is_solid(material, static_cast<double>(lights[i].a))};
    });
  }
  return texture;
}

}  // namespace

IndexedTexture index_texture(const Image& image, const Material& material, const NearestEntry& nearest) {
  return fill_texture(image, material, TexelsAre::Indices,
                      [&](Rgb8 color) { return uint32_t{nearest(color)}; });
}

IndexedTexture color_texture(const Image& image, const Material& material) {
  return fill_texture(image, material, TexelsAre::Colors, packed_color);
}

IndexedTexture mask_texture(const Image& image, const Material& material) {
  return fill_texture(image, material, TexelsAre::Holes, [](Rgb8) { return uint32_t{0}; });
}

bool has_holes(const Image& image, const Material& material) {
  MaterialColors colors(material);
  if (!colors.any_hole()) return false;
  return std::any_of(image.pixels.begin(), image.pixels.end(),
                     [&](Rgba8 texel) { return !colors.solid(texel); });
}

}  // namespace vox::scene
