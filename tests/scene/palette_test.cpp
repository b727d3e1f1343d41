#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <set>
#include <unordered_map>
#include <vector>

#include "libvox/scene/auto_palette.h"
#include "libvox/scene/surface.h"
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
  const std::vector<scene::Rgba8> two = {{255, 0, 0, 255}, {0, 255, 0, 255}};
  const scene::Image wide = test::image_of(2, 1, two), high = test::image_of(1, 2, two);
  auto shares_over = [&](scene::Wrap wrap, float from, float to) {
    std::array<double, 2> shares = {};
    for (const bool by_v : {false, true}) {
      scene::Scene scene = textured_rectangle(by_v ? high : wide);
      (by_v ? scene.materials[0].wrap_v : scene.materials[0].wrap_u) = wrap;
      for (Vec2f& uv : scene.texcoords) {
        float& along = by_v ? uv.y : uv.x;
        along = from + along * (to - from);
      }
      scene::Palette palette = {.count = 2, .colors = {scene::Rgb8{255, 0, 0}, scene::Rgb8{0, 255, 0}}};
      shares[by_v] = scene::index_scene(scene, palette, scene::MaterialMode::Texture).shares[0];
    }
    EXPECT_NEAR(shares[0], shares[1], 0.06);
    return shares[1];
  };
  EXPECT_NEAR(shares_over(scene::Wrap::Repeat, 0, 1), 0.5, 0.03);
  EXPECT_NEAR(shares_over(scene::Wrap::Repeat, -3, -2.5f), 1, 0.03);
  EXPECT_NEAR(shares_over(scene::Wrap::Mirror, 1, 1.5f), 0, 0.03);
  EXPECT_NEAR(shares_over(scene::Wrap::Mirror, -0.5f, 0), 1, 0.03);
  EXPECT_NEAR(shares_over(scene::Wrap::Clamp, 1, 9), 0, 0.03);
  EXPECT_NEAR(shares_over(scene::Wrap::Clamp, -1, 1), 0.75, 0.03);
  shares_over(scene::Wrap::Clamp, 0, 1e30f);  // only termination matters
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

TEST(SceneSurface, ColorsThatAreFoundOnceAreThoseThatAreFoundEachTime) {
  const scene::Scene scene = noisy_scene();  // with holes
  const scene::SceneSurface kept(scene), plain(scene, nullptr, 0);
  const auto all = [](const scene::SceneSurface& surface, uint64_t step) {
    std::unordered_map<uint64_t, uint64_t> weights;
    for (uint64_t first = 0; first < surface.sample_slots(); first += step)
      surface.for_each_sample(
          first, std::min(first + step, surface.sample_slots()), [&](const scene::SurfaceSample& s) {
            weights[uint64_t{s.material} << 32 | scene::packed_color(s.color)] += s.weight;
          });
    return weights;
  };
  const auto expected = all(plain, 4096);
  EXPECT_GT(expected.size(), 100u);
  EXPECT_LT(kept.sample_slots(), plain.sample_slots() / 2);
  EXPECT_EQ(all(kept, 4096), expected);
  EXPECT_EQ(all(kept, 999), expected);
  EXPECT_EQ(all(plain, 999), expected);
  const scene::Palette palette = scene::auto_palette(scene);
  EXPECT_EQ(scene::auto_palette(scene::count_colors(plain)).colors, palette.colors);
  EXPECT_EQ(scene::index_scene(scene, palette, kept).shares,
            scene::index_scene(scene, palette, plain).shares);
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

// Tests the error of a palette: small areas, and the share of the surface with a distant color.

uint8_t code(double value) {
  return static_cast<uint8_t>(std::clamp(value, 0.0, 255.0));
}

constexpr scene::Rgb8 kRed = {200, 20, 25};

// Looks like worn metal: grays of every brightness with slight tints, and a red square of `red` texels a
// side.
scene::Image grays_with_red(uint32_t side, uint32_t red) {
  std::mt19937 random(7);
  auto spread = [&](double width) {  // approximately normal: a sum of uniform numbers
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += static_cast<uint32_t>(random()) * 0x1p-32;
    return (sum - 6) * width;
  };
  std::vector<scene::Rgba8> pixels;
  for (uint32_t i = 0; i < side * side; ++i) {
    const double gray = 110 + spread(45);
    pixels.push_back({code(gray + spread(14)), code(gray + spread(14)), code(gray + spread(14)), 255});
    if (i % side < red && i / side < red)
      pixels.back() = {code(kRed.r + spread(6)), code(kRed.g + spread(6)), code(kRed.b + spread(6)), 255};
  }
  return test::image_of(side, side, std::move(pixels));
}

double nearest_distance(const scene::Palette& palette, scene::Rgb8 color) {
  double nearest = 10;
  for (uint32_t i = 0; i < palette.count; ++i)
    nearest = std::min(nearest, oklab_distance(color, palette.colors[i]));
  return nearest;
}

// 784 of 262,144 texels are red: 0.3 %.
TEST(FarColors, ASmallSaturatedAreaAmongManyGraysGetsAnEntryCloseToIt) {
  const scene::ColorHistogram histogram = scene::count_colors(textured_rectangle(grays_with_red(512, 28)));
  for (double power : {1.0, 0.9, 0.5}) {
    const scene::Palette palette = scene::auto_palette(histogram, {.area_power = power});
    EXPECT_EQ(palette.count, 16u);
    EXPECT_LT(nearest_distance(palette, kRed), 0.05) << power;
  }
}

TEST(FarColors, ATenThousandthOfTheAreaIsTooLittleForAnEntry) {
  const scene::Scene scene = textured_rectangle(grays_with_red(512, 4));
  EXPECT_GT(nearest_distance(scene::auto_palette(scene), kRed), 0.1);
}

TEST(FarColors, ExchangesLeaveLessAreaFarAwayThanKMeansDoes) {
  const std::vector<scene::WeightedPoint> areas =
      scene::count_colors(textured_rectangle(grays_with_red(512, 28))).points;
  auto far_share = [&](const std::vector<Vec3d>& means) {
    double far = 0, all = 0;
    for (const scene::WeightedPoint& point : areas) {
      double nearest = 10;
      for (Vec3d mean : means) nearest = std::min(nearest, dot(point.at - mean, point.at - mean));
      all += point.weight;
      if (nearest > 0.01) far += point.weight;
    }
    return far / all;
  };
  const std::vector<Vec3d> means = scene::cluster(areas, 16),
                           exchanged = scene::with_far_colors(areas, areas, means, 16);
  EXPECT_GT(far_share(means), 0.003);
  EXPECT_LT(far_share(exchanged), 0.002);
  EXPECT_EQ(exchanged.size(), 16u);
  // With enough room, no entry has to be given up.
  EXPECT_EQ(scene::with_far_colors(areas, areas, {means[0], means[1]}, 3).size(), 3u);
}

// All texels have shades of one color, except a square of 12 x 12 texels in shades of red.
TEST(PaletteOptions, LessPowerOfTheAreaGivesSmallAreasMoreEntries) {
  std::vector<scene::Rgba8> pixels;
  for (uint32_t i = 0; i < 64 * 64; ++i) {
    const auto x = static_cast<uint8_t>(i % 64), y = static_cast<uint8_t>(i / 64);
    const int half_of_y = y / 2;
    pixels.push_back({code(40 + x), code(100 + half_of_y), 60, 255});
    if (x < 12 && y < 12)
      pixels.back() = {code(150 + x * 8), code(20 + y * 8), code(120 + x * 4 + y * 4), 255};
  }
  const scene::ColorHistogram histogram =
      scene::count_colors(textured_rectangle(test::image_of(64, 64, pixels)));
  auto reds = [&](double power) {
    const scene::Palette palette = scene::auto_palette(histogram, {.area_power = power});
    return std::count_if(palette.colors.begin(), palette.colors.begin() + palette.count,
                         [](scene::Rgb8 color) { return color.r > color.g; });
  };
  EXPECT_LT(reds(1), reds(0.5));
  EXPECT_LT(reds(0.5), reds(0));
}

TEST(PaletteOptions, ThreadsChangeNothingWhateverThePower) {
  const scene::Scene scene = textured_rectangle(grays_with_red(256, 20));
  for (double power : {0.0, 0.3, 0.9, 1.0}) {
    auto colors = [&](size_t threads) {
      tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      return scene::auto_palette(scene, {.area_power = power}).colors;
    };
    EXPECT_EQ(colors(1), colors(5)) << power;
  }
}

// The test counts texel by texel.
TEST(PaletteError, IsThatOfTheNearestEntriesOverTheTexels) {
  const scene::Image image = grays_with_red(128, 40);
  const scene::Palette palette = {.count = 3,
                                  .colors = {scene::Rgb8{60, 60, 60}, {190, 30, 20}, {140, 150, 140}}};
  double sum = 0, over = 0;
  for (scene::Rgba8 p : image.pixels) {
    const double delta = 100 * nearest_distance(palette, {p.r, p.g, p.b});
    sum += delta, over += delta > 10;
  }
  const auto texels = static_cast<double>(image.pixels.size());
  const scene::PaletteError error =
      scene::palette_error(scene::count_colors(textured_rectangle(image)), palette);
  EXPECT_NEAR(error.mean, sum / texels, 0.1);
  EXPECT_NEAR(error.over_10, over / texels, 0.01);
  EXPECT_GT(error.over_10, 0.1);
}

TEST(PaletteError, IsNoneWhereEveryColorHasItsEntry) {
  const scene::Scene scene = textured_rectangle(test::image_of(2, 1, {{255, 0, 0, 255}, {0, 255, 0, 255}}));
  const scene::ColorHistogram histogram = scene::count_colors(scene);
  EXPECT_EQ(scene::palette_error(histogram, scene::auto_palette(histogram)).mean, 0);
  const scene::PaletteError red =
      scene::palette_error(histogram, {.count = 1, .colors = {scene::Rgb8{255, 0, 0}}});
  EXPECT_NEAR(red.over_10, 0.5, 0.01);
  EXPECT_NEAR(red.mean, 50 * oklab_distance({255, 0, 0}, {0, 255, 0}), 1);
  EXPECT_EQ(
      scene::palette_error(scene::count_colors(scene::Scene()), scene::auto_palette(scene::Scene())).mean, 0);
}

}  // namespace
}  // namespace vox
