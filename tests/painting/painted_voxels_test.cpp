// Tests the voxels and palettes of painted surfaces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libvox/painting/paint_scene.h"
#include "libvox/scene/auto_palette.h"
#include "libvox/voxelize/grid.h"
#include "tests/painting/painted.h"
#include "tests/scene/scenes.h"
#include "tests/voxelize/brute_force.h"

namespace vox {
namespace {

constexpr scene::Rgb8 kWhite = {255, 255, 255}, kBlack = {0, 0, 0}, kGreen = {30, 160, 40},
                      kOrange = {240, 130, 20};

scene::Palette palette_of(const std::vector<scene::Rgb8>& colors) {
  scene::Palette palette;
  for (scene::Rgb8 color : colors) palette.colors[palette.count++] = color;
  return palette;
}

uint32_t nearest_in(const scene::Palette& palette, scene::Rgb8 color) {
  uint32_t nearest = 0;
  for (uint32_t i = 1; i < palette.count; ++i)
    if (test::oklab_distance(palette.colors[i], color) < test::oklab_distance(palette.colors[nearest], color))
      nearest = i;
  return nearest;
}

// A rectangle in the plane z = 0.5 with its texture, and its voxels in a cube from 0 to 1.
struct Rectangle {
  scene::Scene scene;
  scene::Palette palette = palette_of({kWhite, kBlack, kGreen, kOrange, {150, 150, 150}, {140, 200, 140}});
  voxelize::Grid grid = {.resolution = 64, .origin = {0, 0, 0}, .voxel_size = 1.0 / 64};

  explicit Rectangle(scene::Image image) : scene(test::textured_rectangle(std::move(image))) {
    for (Vec3d& p : scene.positions) p.z = 0.501;
  }

  Dense voxels(const painting::Strokes& strokes, uint32_t size, voxelize::BuildOptions build = {}) {
    const scene::IndexedScene indexed =
        scene::index_scene(scene, palette, scene::MaterialMode::Texture, nullptr);
    painting::Painting painting = painted(scene, strokes, {.size = size});
    painting::index_atlas(painting.atlas, scene, palette);
    build.atlas = &painting.atlas;
    return to_dense(test_engine()->build(scene, indexed, grid, build).dag);
  }
  Dense unpainted() {
    return to_dense(
        test_engine()
            ->build(scene, scene::index_scene(scene, palette, scene::MaterialMode::Texture), grid, {})
            .dag);
  }
};

scene::Image checkers(uint32_t side) {
  std::vector<scene::Rgba8> pixels;
  for (uint32_t i = 0; i < side * side; ++i)
    pixels.push_back((i % side + i / side) % 2 ? scene::Rgba8{255, 255, 255, 255}
                                               : scene::Rgba8{0, 0, 0, 255});
  return test::image_of(side, side, std::move(pixels));
}

// Returns the palette entry of the atlas texel that contains (u, v), under one stroke.
uint32_t expected_entry(const Rectangle& rectangle, const painting::Stroke& stroke, uint32_t size, double u,
                        double v) {
  const double x = (std::floor(u * size) + 0.5) / size, y = (std::floor(v * size) + 0.5) / size;
  const double distance = std::hypot(x - stroke.points[0].x, y - stroke.points[0].y);
  const double full = stroke.radius * (1 - stroke.edge);
  const double share = std::clamp((stroke.radius - distance) / (stroke.radius - full), 0.0, 1.0);
  const scene::Image& image = rectangle.scene.images[0];
  const auto column = static_cast<uint32_t>(x * image.width), row = static_cast<uint32_t>(y * image.height);
  const scene::Rgba8 texel = image.pixels[row * image.width + column];
  const Vec3d light = scene::srgb_to_linear(stroke.color) * share +
                      scene::srgb_to_linear(scene::Rgb8{texel.r, texel.g, texel.b}) * (1 - share);
  return nearest_in(rectangle.palette, scene::linear_to_srgb(light));
}

TEST(PaintedVoxels, ShowThePaintOverTheTexture) {
  Rectangle rectangle(checkers(4));
  const painting::Stroke stroke = line_stroke(kGreen, 0.3, {{0.4, 0.55, 0.501}}, 0.8);
  constexpr uint32_t kSize = 97;
  const Dense voxels = rectangle.voxels({stroke}, kSize), before = rectangle.unpainted();
  uint64_t changed = 0, looked_at = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      const double u = (x + 0.5) / 64, v = (y + 0.5) / 64;
      const auto near_border = [](double c) { return std::abs(c * kSize - std::round(c * kSize)) < 0.05; };
      // If both triangles cover a voxel, the first one decides, at its own closest point.
      if (near_border(u) || near_border(v) || std::abs(x - y) < 2) continue;
      const Int3 voxel = {x, y, 32};
      const double distance = std::hypot(u - 0.4, v - 0.55);
      ++looked_at;
      changed += voxels.at(voxel) != before.at(voxel);
      if (distance > 0.32) {
        ASSERT_EQ(voxels.at(voxel), before.at(voxel)) << x << ' ' << y;
      } else if (distance < 0.29) {
        ASSERT_EQ(voxels.at(voxel), static_cast<int>(expected_entry(rectangle, stroke, kSize, u, v)))
            << x << ' ' << y;
      }
    }
  EXPECT_GT(looked_at, 3000u);
  EXPECT_GT(changed, 500u);
}

TEST(PaintedVoxels, FillWhatTheyFillWithoutPaintAlsoWhereTheyAreSolidOrHoles) {
  scene::Image image = test::noise_image(16, 16, 3);
  Rectangle rectangle(image);
  rectangle.scene.materials[0].alpha_cutoff = 0.5f;
  const Dense before = rectangle.unpainted();
  const painting::Strokes all = {line_stroke(kOrange, 2, {{0.5, 0.5, 0.5}}, 0)};
  const Dense after = rectangle.voxels(all, 64), solid = rectangle.voxels(all, 64, {.solid = true});
  uint64_t filled = 0, holes = 0;
  for (size_t i = 0; i < before.voxels.size(); ++i) {
    ASSERT_EQ(after.voxels[i] == dag::kEmptyVoxel, before.voxels[i] == dag::kEmptyVoxel);
    if (after.voxels[i] == dag::kEmptyVoxel) continue;
    ASSERT_EQ(after.voxels[i], 3);
    ASSERT_EQ(solid.voxels[i], 3);
    ++filled;
  }
  holes = 64 * 64 - filled;
  EXPECT_GT(filled, 1000u);
  EXPECT_GT(holes, 1000u);
}

TEST(PaintedVoxels, ArePaintedOnMaterialsWithoutATextureAndOverVertexColors) {
  Rectangle rectangle(checkers(2));
  rectangle.scene.materials[0].image = scene::kNone;
  const painting::Stroke stroke = line_stroke(kOrange, 0.25, {{0.5, 0.5, 0.501}}, 1);
  const Int3 middle = {32, 32, 32}, half_way = {38, 32, 32}, rim = {44, 32, 32}, corner = {2, 2, 32};
  const Dense plain = rectangle.voxels({stroke}, 256);
  EXPECT_EQ(plain.at(middle), 3);
  EXPECT_EQ(plain.at(corner), 0);
  rectangle.scene.colors.assign(4, {0, 0, 0, 255});
  const Dense colored = rectangle.voxels({stroke}, 256);
  EXPECT_EQ(colored.at(middle), 3);
  EXPECT_EQ(colored.at(half_way), 3);  // more than half of the texel is covered
  EXPECT_EQ(colored.at(rim), 1);
  EXPECT_EQ(colored.at(corner), 1);
}

TEST(PaintedVoxels, OverVertexColorsPaintShowsFromHalfATexelOnInItsOwnColor) {
  Rectangle rectangle(checkers(2));
  rectangle.scene.materials[0].image = scene::kNone;
  rectangle.scene.colors.assign(4, {0, 0, 0, 255});
  painting::Painting painting =
      painted(rectangle.scene, {line_stroke(kOrange, 0.1, {{0.5, 0.5, 0.501}})}, {.size = 16});
  const painting::Paint full = painting::full_paint(kOrange);
  for (const uint32_t share : {1u, 32767u, 32768u, 65535u}) {
    for (painting::Paint& paint : painting.atlas.paints) paint = painting::painted_over(full, share, {});
    painting::index_atlas(painting.atlas, rectangle.scene, rectangle.palette);
    for (const uint64_t cell : painting.atlas.cells) {
      if (cell == hash::kEmptyCell<uint64_t>) continue;
      EXPECT_EQ(painting::kCellFormat.value(cell), share > 32767 ? 3 : painting::kNothingShown) << share;
    }
  }
  const painting::Paint half = painting::painted_over(full, 32768, {});
  EXPECT_LT(test::oklab_distance(painting::color_of(half), kOrange), 0.01);
}

TEST(PaintedVoxels, CountsOfColorsFindTexelsAsTheMaterialWraps) {
  Rectangle rectangle(checkers(2));
  rectangle.scene.materials[0].wrap_u = scene::Wrap::Repeat;
  rectangle.scene.materials[0].wrap_v = scene::Wrap::Mirror;
  const painting::Painting painting =
      painted(rectangle.scene, {uv_stroke(kOrange, 0.1, 0.25, 0.25, 0)}, {.size = 16});
  const scene::SurfacePaint paint = surface_paint(painting.atlas);
  const auto is_painted = [&](double u, double v) { return paint.color(0, {u, v}, kBlack) == kOrange; };
  EXPECT_TRUE(is_painted(0.25, 0.25));
  EXPECT_FALSE(is_painted(0.75, 0.75));
  EXPECT_TRUE(is_painted(1.25, 0.25));
  EXPECT_FALSE(is_painted(1.75, 0.25));
  EXPECT_TRUE(is_painted(0.25, 1.75));
  EXPECT_FALSE(is_painted(0.25, 1.25));
}

TEST(PaintedVoxels, AreThoseOfTheMeshWhereNothingIsPainted) {
  Rectangle rectangle(checkers(4));
  const Dense before = rectangle.unpainted();
  EXPECT_EQ(rectangle.voxels({line_stroke(kOrange, 0.1, {{0.5, 0.5, 3}})}, 64).voxels, before.voxels);
  const Dense after = rectangle.voxels({line_stroke(kOrange, 0.1, {{0.5, 0.5, 0.501}})}, 64);
  EXPECT_NE(after.voxels, before.voxels);
}

TEST(PaintedVoxels, CountTheQueriesOfThePaintedMaterialsAlone) {
  Rectangle rectangle(checkers(4));
  rectangle.scene.materials.push_back(test::white_material());
  test::add_rectangle(rectangle.scene, 0, 1, 1, 1);  // in the plane z = 0
  painting::Painting painting =
      painted(rectangle.scene, {line_stroke(kOrange, 0.1, {{0.5, 0.5, 0.501}})}, {.size = 64});
  EXPECT_EQ(painting.atlas.painted, (std::vector<uint8_t>{1, 0}));
  painting::index_atlas(painting.atlas, rectangle.scene, rectangle.palette);
  const scene::IndexedScene indexed =
      scene::index_scene(rectangle.scene, rectangle.palette, scene::MaterialMode::Texture);
  const voxelize::BuildResult result =
      test_engine()->build(rectangle.scene, indexed, rectangle.grid, {.atlas = &painting.atlas});
  EXPECT_EQ(result.dag.voxels, 2u * 64 * 64);
  EXPECT_EQ(result.atlas_queries, 64u * 64);
}

TEST(PaintedPalette, HasTheColorsOfStrokesAndTheirShares) {
  std::vector<scene::Rgba8> pixels;
  for (uint32_t i = 0; i < 256; ++i) {
    const auto gray = static_cast<uint8_t>(i);
    pixels.push_back({gray, gray, gray, 255});
  }
  for (const bool textured : {true, false}) {
    scene::Scene scene = test::textured_rectangle(test::image_of(16, 16, pixels));
    if (!textured) scene.materials[0].image = scene::kNone;
    const painting::Painting painting =
        painted(scene, {line_stroke(kOrange, 0.1, {{0.5, 0.5, 0}}, 0)}, {.size = 32});
    const scene::SurfacePaint paint = surface_paint(painting.atlas);
    const scene::Palette palette = scene::auto_palette(scene::count_colors(scene, &paint));
    const uint32_t entry = nearest_in(palette, kOrange);
    EXPECT_LT(test::oklab_distance(palette.colors[entry], kOrange), 0.01);
    const auto shares = scene::index_scene(scene, palette, scene::MaterialMode::Texture, &paint).shares;
    EXPECT_NEAR(shares[entry], 0.0314, 0.003);
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-6);
  }
}

}  // namespace
}  // namespace vox
