#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "libvox/base/error.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/surface.h"
#include "tests/scene/scenes.h"

namespace vox {
namespace {

using test::add_rectangle;
using test::plain_material;
using test::white_material;

constexpr scene::Rgb8 kBlack = {0, 0, 0}, kWhite = {255, 255, 255};

scene::Palette noise_palette(uint32_t seed) {
  scene::Palette palette = {.count = scene::kPaletteSize};
  std::mt19937 random(seed);
  for (scene::Rgb8& c : palette.colors)
    c = {static_cast<uint8_t>(random()), static_cast<uint8_t>(random()), static_cast<uint8_t>(random())};
  palette.colors[9] = palette.colors[4];  // the same color twice, which is a tie wherever it is nearest
  return palette;
}

uint32_t nibble(const std::vector<uint32_t>& nibbles, uint64_t i) {
  return nibbles[i >> 3] >> (i & 7) * 4 & 15;
}
bool bit(const std::vector<uint32_t>& bits, uint64_t i) {
  return bits.empty() || (bits[i >> 5] >> (i & 31) & 1) != 0;
}

uint32_t nearest(const scene::Palette& palette, scene::Rgb8 color) {
  auto distance = [&](uint32_t i) {
    Vec3d d = scene::linear_to_oklab(scene::srgb_to_linear(color)) -
              scene::linear_to_oklab(scene::srgb_to_linear(palette.colors[i]));
    return dot(d, d);
  };
  uint32_t best = 0;
  for (uint32_t i = 1; i < palette.count; ++i)
    if (distance(i) < distance(best)) best = i;
  return best;
}

double decoded(uint8_t code) {
  double s = code / 255.0;
  return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
}

// Returns the length of the part of [a, b) in [c, d).
double overlap(double a, double b, double c, double d) {
  return std::max(0.0, std::min(b, d) - std::max(a, c));
}

struct Mean {
  double r = 0, g = 0, b = 0, a = 0, area = 0;
};

// Returns the mean of the texels that each texel of the smaller level covers, by the overlap of every pair of
// texels.
std::vector<Mean> shrunk(const std::vector<Mean>& from, uint32_t fw, uint32_t fh, uint32_t tw, uint32_t th) {
  std::vector<Mean> to(size_t{tw} * th);
  for (uint32_t y = 0; y < th; ++y)
    for (uint32_t x = 0; x < tw; ++x)
      for (uint32_t v = 0; v < fh; ++v)
        for (uint32_t u = 0; u < fw; ++u) {
          double area = overlap(double(x) / tw, double(x + 1) / tw, double(u) / fw, double(u + 1) / fw) *
                        overlap(double(y) / th, double(y + 1) / th, double(v) / fh, double(v + 1) / fh);
          area *= double(tw) * th;
          const Mean& m = from[size_t{v} * fw + u];
          Mean& sum = to[size_t{y} * tw + x];
          sum.r += m.r * area, sum.g += m.g * area, sum.b += m.b * area, sum.a += m.a * area;
        }
  return to;
}

std::vector<Mean> largest_level(const scene::Image& image, const scene::Material& material) {
  std::vector<Mean> means;
  for (scene::Rgba8 p : image.pixels) {
    double a = material.alpha_cutoff > 0 ? double(material.base_color[3]) * p.a / 255 : 1;
    means.push_back({double(material.base_color[0]) * decoded(p.r) * a,
                     double(material.base_color[1]) * decoded(p.g) * a,
                     double(material.base_color[2]) * decoded(p.b) * a, a});
  }
  return means;
}

// Returns the entries that are correct for a mean. A value next to the midpoint of two codes may be rounded
// either way.
std::set<uint32_t> right_entries(const scene::Palette& palette, const Mean& mean) {
  std::set<uint32_t> entries;
  for (double r : {-3e-7, 3e-7})
    for (double g : {-3e-7, 3e-7})
      for (double b : {-3e-7, 3e-7})
        entries.insert(nearest(palette, scene::linear_to_srgb(Vec3d{mean.r / mean.a + r, mean.g / mean.a + g,
                                                                    mean.b / mean.a + b})));
  return entries;
}

void expect_indexed(const scene::IndexedTexture& texture, const scene::Image& image,
                    const scene::Material& material, const scene::Palette& palette) {
  uint32_t w = image.width, h = image.height;
  std::vector<Mean> means = largest_level(image, material);
  for (size_t k = 0;; ++k) {
    ASSERT_LT(k, texture.levels.size());
    const auto& level = texture.levels[k];
    ASSERT_EQ(level.width, w);
    ASSERT_EQ(level.height, h);
    EXPECT_EQ(level.first_texel % 32, 0u);
    for (uint64_t i = 0; i < uint64_t{w} * h; ++i) {
      const Mean& mean = means[i];
      if (std::abs(mean.a - double(material.alpha_cutoff)) > 1e-4) {
        bool solid = mean.a >= double(material.alpha_cutoff);
        ASSERT_EQ(bit(texture.opaque, level.first_texel + i), solid) << "level " << k << " texel " << i;
        if (!solid) continue;
      }
      std::set<uint32_t> right = right_entries(palette, mean);
      ASSERT_TRUE(right.contains(nibble(texture.nibbles, level.first_texel + i)))
          << "level " << k << " texel " << i;
    }
    if (w == 1 && h == 1) {
      EXPECT_EQ(texture.levels.size(), k + 1);
      return;
    }
    uint32_t tw = std::max(1u, w / 2), th = std::max(1u, h / 2);
    means = shrunk(means, w, h, tw, th);
    w = tw, h = th;
  }
}

TEST(IndexScene, EveryTexelOfEveryLevelIsTheNearestEntryOfItsMean) {
  for (auto [w, h] :
       {std::array{37u, 23u}, {32u, 16u}, {1u, 1u}, {1u, 9u}, {50u, 1u}, {3u, 2u}, {15u, 31u}}) {
    scene::Scene scene;
    scene.images = {test::noise_image(w, h, w)};
    for (const scene::Material& material : {white_material(0), white_material(0), white_material(0)})
      scene.materials.push_back(material);
    scene.materials[1].alpha_cutoff = 0.4f;
    scene.materials[2].alpha_cutoff = 0.5f;
    scene.materials[2].base_color = {0.3f, 1, 0.7f, 0.9f};
    scene::Palette palette = noise_palette(h);
    scene::IndexedScene indexed = scene::index_scene(scene, palette, scene::MaterialMode::Texture);
    ASSERT_EQ(indexed.textures.size(), 3u);
    EXPECT_TRUE(indexed.textures[0].opaque.empty());
    for (uint32_t i = 0; i < 3; ++i)
      expect_indexed(indexed.textures[indexed.materials[i].texture], scene.images[0], scene.materials[i],
                     palette);
  }
}

TEST(IndexScene, EveryColorGetsTheNearestEntry) {
  std::vector<scene::Rgba8> pixels;  // all colors of a plane through the cube, and of a fine ramp
  for (int i = 0; i < 256; ++i)
    for (int j = 0; j < 256; ++j)
      pixels.push_back(
          {static_cast<uint8_t>(i), static_cast<uint8_t>(j), static_cast<uint8_t>((i + 2 * j) / 3), 255});
  scene::Scene scene;
  scene.images = {test::image_of(256, 256, pixels)};
  scene.materials = {white_material(0)};
  scene::Palette palette = noise_palette(77);
  scene::IndexedTexture texture =
      scene::index_scene(scene, palette, scene::MaterialMode::Texture).textures[0];
  for (size_t i = 0; i < pixels.size(); ++i)
    ASSERT_EQ(nibble(texture.nibbles, i), nearest(palette, {pixels[i].r, pixels[i].g, pixels[i].b})) << i;
}

TEST(IndexScene, MeansAreOfLightAndWeightedByAlpha) {
  // The mean of white and black is sRGB 188, not 128.
  scene::Scene scene;
  scene.images = {test::image_of(2, 1, {{255, 255, 255, 255}, {0, 0, 0, 255}}),
                  test::image_of(2, 1, {{255, 255, 255, 255}, {0, 0, 0, 51}})};
  scene.materials = {white_material(0), white_material(1)};
  scene.materials[1].alpha_cutoff = 0.5f;
  scene::Palette palette = {
      .count = 3,
      .colors = {scene::Rgb8{128, 128, 128}, scene::Rgb8{188, 188, 188}, scene::Rgb8{234, 234, 234}}};
  scene::IndexedScene indexed = scene::index_scene(scene, palette, scene::MaterialMode::Texture);
  auto last = [&](const scene::IndexedTexture& t) { return nibble(t.nibbles, t.levels.back().first_texel); };
  EXPECT_EQ(last(indexed.textures[0]), 1u);
  EXPECT_EQ(last(indexed.textures[1]), 2u);  // 1 / 1.2 of white's light
  EXPECT_TRUE(bit(indexed.textures[1].opaque, 0));
  EXPECT_FALSE(bit(indexed.textures[1].opaque, 1));
  EXPECT_TRUE(bit(indexed.textures[1].opaque, indexed.textures[1].levels.back().first_texel));  // 0.6
}

TEST(IndexScene, FullAlphaHasNoHolesAtAnyCutoffUpToOne) {
  scene::Scene scene;
  scene.images = {test::noise_image(97, 51, 3)};
  for (scene::Rgba8& p : scene.images[0].pixels) p.a = 255;
  scene.materials = {white_material(0)};
  scene.materials[0].alpha_cutoff = 1;
  EXPECT_TRUE(
      scene::index_scene(scene, noise_palette(1), scene::MaterialMode::Texture).textures[0].opaque.empty());
  scene.materials[0].alpha_cutoff = 1.5f;
  const scene::IndexedTexture all_holes =
      scene::index_scene(scene, noise_palette(1), scene::MaterialMode::Texture).textures[0];
  for (const auto& level : all_holes.levels)
    for (uint64_t i = 0; i < uint64_t{level.width} * level.height; ++i)
      ASSERT_FALSE(bit(all_holes.opaque, level.first_texel + i));
}

TEST(IndexScene, EqualMaterialsShareATexture) {
  scene::Scene scene;
  scene.images = {test::noise_image(4, 4, 1), test::noise_image(4, 4, 2)};
  scene.materials.assign(7, white_material(0));
  scene.materials[1].wrap_u = scene::Wrap::Mirror;  // only the sampling differs, the texels do not
  scene.materials[2].base_color = {1, 1, 1, 0.2f};  // opaque, so alpha has no effect
  scene.materials[3].base_color = {1, 0.5f, 1, 1};
  scene.materials[4].alpha_cutoff = 0.5f;
  scene.materials[5].image = 1;
  scene.materials[6].alpha_cutoff = 0.25f;
  scene::IndexedScene indexed = scene::index_scene(scene, noise_palette(1), scene::MaterialMode::Texture);
  EXPECT_EQ(indexed.textures.size(), 5u);
  EXPECT_EQ(indexed.materials[0].texture, indexed.materials[1].texture);
  EXPECT_EQ(indexed.materials[0].texture, indexed.materials[2].texture);
  EXPECT_EQ(indexed.materials[1].wrap_u, scene::Wrap::Mirror);
  std::set<uint32_t> different;
  for (size_t i = 2; i < 7; ++i) different.insert(indexed.materials[i].texture);
  EXPECT_EQ(different.size(), 5u);
}

TEST(IndexScene, WithoutMaterialsOnlyHolesAreKept) {
  scene::Scene scene;
  scene.images = {test::noise_image(9, 7, 1), test::noise_image(9, 7, 2)};
  for (scene::Rgba8& p : scene.images[1].pixels) p.a = 255;
  scene.materials = {white_material(0), white_material(0), white_material(1), white_material()};
  scene.materials[1].alpha_cutoff = scene.materials[2].alpha_cutoff = scene.materials[3].alpha_cutoff = 0.5f;
  scene.materials[3].base_color[3] = 0.4f;
  for (uint32_t i = 0; i < 4; ++i) add_rectangle(scene, i, 1, 1, i);
  scene::IndexedScene indexed = scene::index_scene(scene, noise_palette(1), scene::MaterialMode::None);
  ASSERT_EQ(indexed.textures.size(), 1u);
  EXPECT_EQ(indexed.materials[0].texture, scene::kNone);  // opaque
  EXPECT_EQ(indexed.materials[1].texture, 0u);
  EXPECT_EQ(indexed.materials[2].texture, scene::kNone);  // the image has no holes
  EXPECT_TRUE(indexed.materials[3].invisible);
  EXPECT_FALSE(indexed.materials[1].invisible);
  for (size_t i = 0; i < 63; ++i)
    EXPECT_EQ(bit(indexed.textures[0].opaque, i), scene.images[0].pixels[i].a >= 128);
  EXPECT_TRUE(indexed.textures[0].nibbles.empty() && indexed.textures[0].colors.empty());
  EXPECT_EQ(indexed.shares, (std::array<double, scene::kPaletteSize>{}));
}

TEST(IndexScene, MeshMaterialsKeepTheirHoles) {
  scene::Scene scene;
  scene.images = {test::noise_image(8, 8, 1)};
  scene.materials = {white_material(0), white_material(0), plain_material(kBlack)};
  scene.materials[0].alpha_cutoff = scene.materials[1].alpha_cutoff = 0.5f;
  for (uint32_t i = 0; i < 3; ++i) add_rectangle(scene, i, 1, 4 - i, i);
  scene::IndexedScene indexed =
      scene::index_scene(scene, scene::mesh_palette(scene), scene::MaterialMode::Mesh);
  ASSERT_EQ(indexed.textures.size(), 1u);  // of equal holes
  std::set<uint8_t> entries;
  for (const scene::IndexedMaterial& material : indexed.materials) {
    entries.insert(material.index);
    if (material.texture == scene::kNone) continue;
    const scene::IndexedTexture& texture = indexed.textures[material.texture];
    EXPECT_TRUE(texture.nibbles.empty() && texture.colors.empty());
    for (uint64_t i = 0; i < 64; ++i) EXPECT_EQ(bit(texture.opaque, i), scene.images[0].pixels[i].a >= 128);
  }
  EXPECT_EQ(entries, (std::set<uint8_t>{0, 1, 2}));
}

TEST(IndexScene, HolesOfOneImageDifferWithTheAlphaOfTheMaterial) {
  scene::Scene scene;
  scene.images = {test::noise_image(8, 8, 1)};
  scene.materials = {white_material(0), white_material(0)};
  for (scene::Material& material : scene.materials) material.alpha_cutoff = 0.5f;
  scene.materials[1].base_color[3] = 0.75f;
  scene.materials[1].wrap_u = scene::Wrap::Clamp, scene.materials[1].wrap_v = scene::Wrap::Mirror;
  const scene::IndexedScene indexed = scene::index_scene(scene, {}, scene::MaterialMode::None);
  ASSERT_EQ(indexed.textures.size(), 2u);
  for (uint64_t i = 0; i < 64; ++i) {
    EXPECT_EQ(bit(indexed.textures[0].opaque, i), scene.images[0].pixels[i].a >= 128);
    EXPECT_EQ(bit(indexed.textures[1].opaque, i), scene.images[0].pixels[i].a >= 170);
  }
  EXPECT_EQ(indexed.materials[1].wrap_u, scene::Wrap::Clamp);
  EXPECT_EQ(indexed.materials[1].wrap_v, scene::Wrap::Mirror);
}

// Between two corners of one color and a third of another, most of a triangle has colors of neither.
TEST(IndexScene, SharesOfVertexColorsAreThoseOfTheirInterpolation) {
  scene::Scene scene;
  scene.materials = {white_material()};
  scene.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  scene.colors = {{0, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}};
  for (uint32_t i = 0; i < 300; ++i)
    scene.triangles.push_back({{0, 1, 2}, {scene::kNone, scene::kNone, scene::kNone}, 0});
  const scene::Palette palette = noise_palette(4);
  const auto shares = scene::index_scene(scene, palette, scene::MaterialMode::Texture).shares;
  std::array<double, scene::kPaletteSize> expected = {};
  constexpr int kSteps = 200;
  double all = 0;
  for (int i = 0; i < kSteps; ++i)
    for (int j = 0; i + j < kSteps; ++j, ++all) {
      const auto code = [](int part) { return static_cast<uint8_t>(255 * (part + 0.33) / kSteps + 0.5); };
      expected[nearest(palette, {0, code(i), code(j)})] += 1;
    }
  for (uint32_t entry = 0; entry < scene::kPaletteSize; ++entry)
    EXPECT_NEAR(shares[entry], expected[entry] / all, 0.06) << entry;
}

TEST(IndexScene, AVertexColorIsRoundedToTheNearestCode) {
  scene::Scene scene;
  scene.materials = {white_material()};
  add_rectangle(scene, 0, 1, 1, 0);
  for (const int value : {0, 1, 77, 254, 255}) {
    const auto code = static_cast<uint8_t>(value);
    scene.colors.assign(4, {code, code, code, 255});
    const scene::SceneSurface surface(scene);
    surface.for_each_sample(0, surface.sample_slots(), [&](const scene::SurfaceSample& sample) {
      EXPECT_EQ(sample.color, (scene::Rgb8{code, code, code}));
    });
  }
}

// The mean light of a mix is that of the color, if the palette's colors surround it.
TEST(Dither, MixesHaveTheLightOfTheColorFromDarkToLight) {
  const scene::Palette palette = {
      .count = 5, .colors = {kWhite, kBlack, scene::Rgb8{255, 0, 0}, {0, 255, 0}, {0, 0, 255}}};
  const double lightness[] = {1, 0, 0.628, 0.866, 0.452};
  for (const scene::Rgb8 color :
       {kBlack, kWhite, scene::Rgb8{188, 188, 188}, {100, 100, 100}, {200, 90, 60}}) {
    const scene::ColorMix mix = scene::mix_of(palette, color);
    Vec3d sum = {0, 0, 0};
    for (size_t i = 0; i < mix.size(); ++i) {
      ASSERT_LT(mix[i], palette.count);
      sum = sum + scene::srgb_to_linear(palette.colors[mix[i]]);
      EXPECT_GE(lightness[mix[i]], lightness[mix[i == 0 ? 0 : i - 1]]);
    }
    const Vec3d wanted = scene::srgb_to_linear(color), mean = sum * (1.0 / scene::kMixParts);
    EXPECT_NEAR(mean.x, wanted.x, 0.02);
    EXPECT_NEAR(mean.y, wanted.y, 0.02);
    EXPECT_NEAR(mean.z, wanted.z, 0.02);
  }
  // The first of equal colors is taken.
  scene::Palette twice = {.count = 3, .colors = {kBlack, kWhite, kWhite}};
  for (const uint8_t part : scene::mix_of(twice, {188, 188, 188})) EXPECT_LT(part, 2);
  EXPECT_THROW(scene::mix_of({}, kWhite), Error);
}

TEST(IndexScene, VertexColorsGoThroughTheTable) {
  scene::Scene scene;
  scene.materials = {white_material(), white_material(0)};
  scene.images = {test::noise_image(2, 2, 1)};
  add_rectangle(scene, 0, 1, 1, 0);
  scene::Palette palette = noise_palette(2);
  EXPECT_TRUE(scene::index_scene(scene, palette, scene::MaterialMode::Texture).color_lut.empty());

  scene.colors.assign(4, {255, 255, 255, 255});
  palette.colors[0] = kBlack, palette.colors[3] = kWhite;
  scene::IndexedScene indexed = scene::index_scene(scene, palette, scene::MaterialMode::Texture);
  EXPECT_TRUE(indexed.materials[0].vertex_colors);
  EXPECT_FALSE(indexed.materials[1].vertex_colors);  // the material has an image
  ASSERT_EQ(indexed.color_lut.size(), 32768u / 8);
  EXPECT_EQ(nibble(indexed.color_lut, 0), 0u);
  EXPECT_EQ(nibble(indexed.color_lut, 32767), 3u);
  for (uint32_t cell = 0; cell < 32768; cell += 7) {
    auto widen = [](uint32_t b) { return static_cast<uint8_t>((b & 31) << 3 | (b & 31) >> 2); };
    EXPECT_EQ(nibble(indexed.color_lut, cell),
              nearest(palette, {widen(cell >> 10), widen(cell >> 5), widen(cell)}));
  }
  EXPECT_EQ(indexed.shares[3], 1);
}

TEST(IndexScene, SharesFollowTheArea) {
  scene::Scene scene;
  scene.images = {
      test::image_of(4, 1, {{0, 0, 0, 255}, {0, 0, 0, 255}, {0, 0, 0, 255}, {255, 255, 255, 255}})};
  scene.materials = {white_material(0), plain_material({250, 0, 0})};
  add_rectangle(scene, 0, 1, 1, 0);
  add_rectangle(scene, 5, 1, 1, 1);
  add_rectangle(scene, 5, 1, 2, 1);
  scene::Palette palette = {.count = 3, .colors = {kBlack, kWhite, scene::Rgb8{255, 0, 0}}};
  auto shares = scene::index_scene(scene, palette, scene::MaterialMode::Texture).shares;
  EXPECT_NEAR(shares[0], 0.75 / 4, 3e-3);
  EXPECT_NEAR(shares[1], 0.25 / 4, 3e-3);
  EXPECT_NEAR(shares[2], 0.75, 3e-3);
  EXPECT_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-12);
}

}  // namespace
}  // namespace vox
