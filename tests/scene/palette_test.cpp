#include "libvox/scene/auto_palette.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/scene/scenes.h"

namespace vox {
namespace {

using test::add_rectangle;
using test::oklab_distance;
using test::plain_material;
using test::textured_rectangle;
using test::white_material;

bool contains(const scene::Palette& palette, scene::Rgb8 color) {
  auto end = palette.colors.begin() + palette.count;
  return std::find(palette.colors.begin(), end, color) != end;
}

double sum(const std::array<double, scene::kPaletteSize>& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

scene::Scene noisy_scene() {
  scene::Scene scene;
  for (uint32_t i = 0; i < 3; ++i) {
    scene.images.push_back(test::noise_image(61 + i * 20, 45, i));
    scene.materials.push_back(white_material(i));
    add_rectangle(scene, i * 2.0, 1, 1 + i, i);
  }
  scene.materials[1].alpha_cutoff = 0.5f;
  scene.materials[2].base_color = {0.5f, 0.7f, 0.2f, 1};
  scene.materials.push_back(white_material());
  add_rectangle(scene, 9, 1, 1, 3);
  std::mt19937 random(5);
  for (size_t i = 0; i < scene.positions.size(); ++i)
    scene.colors.push_back({static_cast<uint8_t>(random()), static_cast<uint8_t>(random()), 9, 255});
  return scene;
}

TEST(AutoPalette, SixteenColorsAreTakenAsTheyAreLargestFirst) {
  scene::Scene scene;
  for (uint32_t i = 0; i < 16; ++i) {
    scene::Rgb8 color = {static_cast<uint8_t>(100 + i), 200, static_cast<uint8_t>(3 * i)};
    scene.materials.push_back(plain_material(color));
    add_rectangle(scene, i, 1, 1 + i, i);
  }
  scene::Palette palette = scene::auto_palette(scene);
  ASSERT_EQ(palette.count, 16u);
  for (uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(palette.colors[15 - i],
              (scene::Rgb8{static_cast<uint8_t>(100 + i), 200, static_cast<uint8_t>(3 * i)}));
  EXPECT_EQ(palette.names[15], "#64c800");
}

TEST(AutoPalette, SixteenTexelsAreTakenAsTheyAre) {
  scene::Image image = test::noise_image(4, 4, 7);
  scene::Palette palette = scene::auto_palette(textured_rectangle(image));
  EXPECT_EQ(palette.count, 16u);
  for (scene::Rgba8 p : image.pixels) EXPECT_TRUE(contains(palette, {p.r, p.g, p.b}));
}

TEST(AutoPalette, EqualColorsOfDifferentMaterialsAreOneEntry) {
  scene::Scene scene;
  scene.images = {test::image_of(1, 1, {{10, 20, 30, 255}})};
  scene.materials = {plain_material({10, 20, 30}), white_material(0), plain_material({10, 20, 30})};
  for (uint32_t i = 0; i < 3; ++i) add_rectangle(scene, i, 1, 1, i);
  scene::Palette palette = scene::auto_palette(scene);
  EXPECT_EQ(palette.count, 1u);
  EXPECT_EQ(palette.colors[0], (scene::Rgb8{10, 20, 30}));
}

TEST(AutoPalette, AreaDecidesNotTheNumberOfColors) {
  std::vector<scene::Rgba8> rainbow;
  for (int i = 0; i < 100; ++i)
    rainbow.push_back({static_cast<uint8_t>(20 + i % 10 * 10), static_cast<uint8_t>(50 + i / 10 * 20),
                       static_cast<uint8_t>(255 - i), 255});
  scene::Scene scene;
  scene.images = {test::image_of(10, 10, rainbow)};
  scene.materials = {plain_material({255, 0, 0}), white_material(0)};
  add_rectangle(scene, 0, 99, 1, 0);
  add_rectangle(scene, 100, 1, 1, 1);
  scene::Palette palette = scene::auto_palette(scene);
  EXPECT_EQ(palette.count, 16u);
  EXPECT_EQ(palette.colors[0], (scene::Rgb8{255, 0, 0}));
  scene::IndexedScene indexed = scene::index_scene(scene, palette, scene::MaterialMode::Texture);
  EXPECT_NEAR(indexed.shares[0], 0.99, 1e-3);
  for (scene::Rgba8 p : rainbow) {
    double nearest = 1;
    for (uint32_t i = 0; i < 16; ++i)
      nearest = std::min(nearest, oklab_distance({p.r, p.g, p.b}, palette.colors[i]));
    EXPECT_LT(nearest, 0.1);
  }
}

TEST(AutoPalette, SixteenCloudsOfColorsGetAnEntryEach) {
  std::vector<scene::Rgba8> pixels;
  std::mt19937 random(3);
  for (uint32_t i = 0; i < 64 * 64; ++i) {
    auto channel = [&](uint32_t level) { return static_cast<uint8_t>(level + random() % 9); };
    pixels.push_back(
        {channel(i % 4 * 55 + 80), channel(i / 4 % 2 * 165 + 80), channel(i / 8 % 2 * 165 + 80), 255});
  }
  scene::Palette palette = scene::auto_palette(textured_rectangle(test::image_of(64, 64, pixels)));
  ASSERT_EQ(palette.count, 16u);
  for (scene::Rgba8 p : pixels) {
    double nearest = 1;
    for (uint32_t i = 0; i < 16; ++i)
      nearest = std::min(nearest, oklab_distance({p.r, p.g, p.b}, palette.colors[i]));
    EXPECT_LT(nearest, 0.03);
  }
}

TEST(AutoPalette, HolesAndUnseenTexelsDoNotCount) {
  scene::Scene scene = textured_rectangle(test::image_of(2, 1, {{255, 0, 0, 0}, {0, 255, 0, 255}}));
  EXPECT_EQ(scene::auto_palette(scene).count, 2u);
  scene.materials[0].alpha_cutoff = 0.5f;
  scene::Palette palette = scene::auto_palette(scene);
  ASSERT_EQ(palette.count, 1u);
  EXPECT_EQ(palette.colors[0], (scene::Rgb8{0, 255, 0}));

  scene = textured_rectangle(test::image_of(2, 1, {{255, 0, 0, 255}, {0, 255, 0, 255}}));
  for (Vec2f& uv : scene.texcoords) uv.x = uv.x / 3;  // only the left texel
  palette = scene::auto_palette(scene);
  ASSERT_EQ(palette.count, 1u);
  EXPECT_EQ(palette.colors[0], (scene::Rgb8{255, 0, 0}));
}

TEST(IndexScene, TextureCoordinatesWrapAsTheMaterialSays) {
  scene::Image image = test::image_of(2, 1, {{255, 0, 0, 255}, {0, 255, 0, 255}});
  auto shares_over = [&](scene::Wrap wrap, float from, float to) {
    scene::Scene scene = textured_rectangle(image);
    scene.materials[0].wrap_u = wrap;
    for (Vec2f& uv : scene.texcoords) uv.x = from + uv.x * (to - from);
    scene::Palette palette = {.count = 2, .colors = {scene::Rgb8{255, 0, 0}, scene::Rgb8{0, 255, 0}}};
    return scene::index_scene(scene, palette, scene::MaterialMode::Texture).shares[0];
  };
  EXPECT_NEAR(shares_over(scene::Wrap::Repeat, 0, 1), 0.5, 0.03);
  EXPECT_NEAR(shares_over(scene::Wrap::Repeat, -3, -2.5f), 1, 0.03);
  EXPECT_NEAR(shares_over(scene::Wrap::Mirror, 1, 1.5f), 0, 0.03);
  EXPECT_NEAR(shares_over(scene::Wrap::Mirror, -0.5f, 0), 1, 0.03);
  EXPECT_NEAR(shares_over(scene::Wrap::Clamp, 1, 9), 0, 0.03);
  EXPECT_NEAR(shares_over(scene::Wrap::Clamp, -1, 1), 0.75, 0.03);
  EXPECT_NEAR(shares_over(scene::Wrap::Repeat, 0, 1e30f), 0.5, 0.5);  // only termination matters
}

TEST(AutoPalette, ThreadsAndRepetitionChangeNothing) {
  scene::Scene scene = noisy_scene();
  auto run = [&](size_t threads) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    scene::Palette palette = scene::auto_palette(scene);
    return scene::index_scene(scene, palette, scene::MaterialMode::Texture);
  };
  scene::IndexedScene first = run(1);
  EXPECT_EQ(first.palette.count, 16u);
  for (size_t threads : {2u, 7u, 7u, 1u}) {
    scene::IndexedScene other = run(threads);
    EXPECT_EQ(other.palette.colors, first.palette.colors);
    EXPECT_EQ(other.palette.names, first.palette.names);
    EXPECT_EQ(other.shares, first.shares);
    EXPECT_EQ(other.color_lut, first.color_lut);
    ASSERT_EQ(other.textures.size(), first.textures.size());
    for (size_t i = 0; i < first.textures.size(); ++i) {
      EXPECT_EQ(other.textures[i].nibbles, first.textures[i].nibbles);
      EXPECT_EQ(other.textures[i].opaque, first.textures[i].opaque);
    }
  }
}

TEST(AutoPalette, AnEmptySceneAndAnInvisibleOneGetOneEntry) {
  EXPECT_EQ(scene::auto_palette(scene::Scene()).count, 1u);
  EXPECT_EQ(sum(scene::index_scene(scene::Scene(), scene::auto_palette(scene::Scene()),
                                   scene::MaterialMode::Texture)
                    .shares),
            0);

  scene::Scene scene = textured_rectangle(test::image_of(1, 1, {{255, 0, 0, 0}}));
  scene.materials[0].alpha_cutoff = 0.5f;
  EXPECT_EQ(scene::auto_palette(scene).count, 1u);
}

TEST(AutoPalette, HugeAndTinyTrianglesAreSurvived) {
  scene::Scene scene = textured_rectangle(test::noise_image(8, 8, 1));
  scene.positions[2] = {1e200, 1e200, -1e200};
  EXPECT_EQ(scene::auto_palette(scene).count, 16u);
  for (Vec3d& p : scene.positions) p = {p.x * 1e-300, p.y * 1e-300, p.z};
  scene.texcoords[1] = {3e38f, -3e38f};
  EXPECT_GE(scene::auto_palette(scene).count, 1u);
}

TEST(MeshPalette, MaterialsAreInOrderOfAreaWithTheirMeanColor) {
  scene::Scene scene;
  scene.images = {test::image_of(2, 1, {{255, 255, 255, 255}, {0, 0, 0, 255}})};
  scene.materials = {plain_material({9, 8, 7}), white_material(0)};
  scene.materials[1].name = "bark";
  add_rectangle(scene, 0, 1, 1, 0);
  add_rectangle(scene, 2, 1, 3, 1);
  scene::Palette palette = scene::mesh_palette(scene);
  ASSERT_EQ(palette.count, 2u);
  EXPECT_EQ(palette.names[0], "bark");
  EXPECT_NEAR(palette.colors[0].r, 188, 2);  // half of white's light
  EXPECT_EQ(palette.colors[1], (scene::Rgb8{9, 8, 7}));
  EXPECT_EQ(palette.names[1], "#090807");
  scene::IndexedScene indexed = scene::index_scene(scene, palette, scene::MaterialMode::Mesh);
  EXPECT_EQ(indexed.materials[0].index, 1);
  EXPECT_EQ(indexed.materials[1].index, 0);
  EXPECT_EQ(indexed.materials[1].texture, scene::kNone);
  EXPECT_NEAR(indexed.shares[0], 0.75, 1e-9);
}

TEST(MeshPalette, SmallMaterialsBeyondSixteenTakeTheNearestEntry) {
  scene::Scene scene;
  for (uint32_t i = 0; i < 18; ++i) {
    scene.materials.push_back(plain_material({static_cast<uint8_t>(10 * i), 0, 0}));
    add_rectangle(scene, i, 1, i < 2 ? 0.5 : 1.0 + i, i);
  }
  scene::Palette palette = scene::mesh_palette(scene);
  ASSERT_EQ(palette.count, 16u);
  EXPECT_EQ(palette.colors[0].r, 170);
  scene::IndexedScene indexed = scene::index_scene(scene, palette, scene::MaterialMode::Mesh);
  for (uint32_t i = 2; i < 18; ++i) EXPECT_EQ(indexed.materials[i].index, 17 - i);
  EXPECT_EQ(indexed.materials[0].index, 15);
  EXPECT_EQ(indexed.materials[1].index, 15);
  EXPECT_NEAR(sum(indexed.shares), 1, 1e-12);
}

}  // namespace
}  // namespace vox
