// Tests the error of a palette: small areas, and the share of the surface with a distant colour.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <random>

#include "libvox/scene/auto_palette.h"
#include "libvox/scene/far_colors.h"
#include "tests/scene/scenes.h"

namespace vox {
namespace {

using test::oklab_distance;
using test::textured_rectangle;

uint8_t code(double value) {
  return static_cast<uint8_t>(std::clamp(value, 0.0, 255.0));
}

constexpr scene::Rgb8 kRed = {200, 20, 25};

// Looks like worn metal: greys of every brightness with slight tints, and a red square of `red` texels a
// side.
scene::Image greys_with_red(uint32_t side, uint32_t red) {
  std::mt19937 random(7);
  auto spread = [&](double width) {  // approximately normal: a sum of uniform numbers
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += static_cast<uint32_t>(random()) * 0x1p-32;
    return (sum - 6) * width;
  };
  std::vector<scene::Rgba8> pixels;
  for (uint32_t i = 0; i < side * side; ++i) {
    const double grey = 110 + spread(45);
    pixels.push_back({code(grey + spread(14)), code(grey + spread(14)), code(grey + spread(14)), 255});
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
TEST(FarColors, ASmallSaturatedAreaAmongManyGreysGetsAnEntryCloseToIt) {
  const scene::ColorHistogram histogram = scene::count_colors(textured_rectangle(greys_with_red(512, 28)));
  for (double power : {1.0, 0.9, 0.5}) {
    const scene::Palette palette = scene::auto_palette(histogram, {.area_power = power});
    EXPECT_EQ(palette.count, 16u);
    EXPECT_LT(nearest_distance(palette, kRed), 0.05) << power;
  }
}

TEST(FarColors, ATenThousandthOfTheAreaIsTooLittleForAnEntry) {
  const scene::Scene scene = textured_rectangle(greys_with_red(512, 4));
  EXPECT_GT(nearest_distance(scene::auto_palette(scene), kRed), 0.1);
}

TEST(FarColors, ExchangesLeaveLessAreaFarAwayThanKMeansDoes) {
  const std::vector<scene::WeightedPoint> areas =
      scene::count_colors(textured_rectangle(greys_with_red(512, 28))).points;
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

// All texels have shades of one colour, except a square of 12 x 12 texels in shades of red.
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
  const scene::Scene scene = textured_rectangle(greys_with_red(256, 20));
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
  const scene::Image image = greys_with_red(128, 40);
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
