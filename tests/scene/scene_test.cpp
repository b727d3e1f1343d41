#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "libvox/scene/oklab.h"
#include "libvox/scene/scene.h"
#include "libvox/scene/texture.h"
#include "tests/scene/scenes.h"

namespace vox {
namespace {

using test::add_rectangle;
using test::plain_material;

scene::Scene one_rectangle(const std::string& name) {
  scene::Scene scene;
  scene.materials = {test::white_material(0)};
  scene.materials[0].name = name;
  scene.images = {test::noise_image(2, 2, 1)};
  scene.images[0].name = name;
  add_rectangle(scene, 0, 1, 1, 0);
  return scene;
}

TEST(Scene, AppendedTrianglesKeepTheirCornersMaterialsAndImages) {
  scene::Scene scene = one_rectangle("a"), other = one_rectangle("b");
  other.positions[1] = {7, 8, 9};
  other.texcoords[2] = {0.25f, 0.5f};
  scene::append_scene(scene, std::move(other));
  ASSERT_EQ(scene.triangles.size(), 4u);
  const scene::Triangle& third = scene.triangles[2];
  EXPECT_EQ(scene.positions[third.position[1]], (Vec3d{7, 8, 9}));
  EXPECT_EQ(scene.texcoords[third.texcoord[2]], (Vec2f{0.25f, 0.5f}));
  EXPECT_EQ(scene.materials[third.material].name, "b");
  EXPECT_EQ(scene.images[scene.materials[third.material].image].name, "b");
  EXPECT_EQ(scene.materials[scene.triangles[0].material].name, "a");
}

TEST(Scene, WhatIsMissingStaysMissingWhenAppended) {
  scene::Scene scene = one_rectangle("a"), other = one_rectangle("b");
  other.triangles[0].texcoord = {scene::kNone, scene::kNone, scene::kNone};
  other.materials[0].image = scene::kNone;
  scene::append_scene(scene, std::move(other));
  EXPECT_EQ(scene.triangles[2].texcoord[0], scene::kNone);
  EXPECT_EQ(scene.materials[1].image, scene::kNone);
  EXPECT_TRUE(scene.colors.empty());
}

TEST(Scene, VerticesWithoutColorBecomeWhiteBesideColoredOnes) {
  constexpr scene::Rgba8 kRed = {255, 0, 0, 255}, kWhite = {255, 255, 255, 255};
  for (bool first_has_colors : {false, true}) {
    scene::Scene scene = one_rectangle("a"), other = one_rectangle("b");
    (first_has_colors ? scene : other).colors.assign(4, kRed);
    scene::append_scene(scene, std::move(other));
    ASSERT_EQ(scene.colors.size(), 8u);
    EXPECT_EQ(scene.colors[0], first_has_colors ? kRed : kWhite);
    EXPECT_EQ(scene.colors[7], first_has_colors ? kWhite : kRed);
  }
}

TEST(Scene, TheUnitIsThatOfAllPartsOrUnknown) {
  using enum scene::LengthUnit;
  const auto unit_of = [](scene::LengthUnit first, scene::LengthUnit second) {
    scene::Scene all, a = one_rectangle("a"), b = one_rectangle("b");
    a.unit = first, b.unit = second;
    scene::append_scene(all, std::move(a));
    scene::append_scene(all, std::move(b));
    return all.unit;
  };
  EXPECT_EQ(unit_of(Meter, Meter), Meter);
  EXPECT_EQ(unit_of(Unknown, Unknown), Unknown);
  EXPECT_EQ(unit_of(Meter, Unknown), Unknown);
  EXPECT_EQ(unit_of(Unknown, Meter), Unknown);
}

TEST(Scene, TrianglesThatCoverNothingAreDroppedAndCounted) {
  scene::Scene scene;
  scene.materials.resize(1);
  const double nan = std::nan(""), inf = HUGE_VAL;
  scene.positions = {{0, 0, 0}, {1, 0, 0},     {0, 1, 0},     {2, 0, 0},     {nan, 0, 0},  {0, inf, 0},
                     {0, 0, 0}, {1e-60, 0, 0}, {0, 1e-60, 0}, {1e200, 0, 0}, {0, 1e200, 0}};
  scene.texcoords = {{static_cast<float>(nan), 0}, {0.5f, 1}, {1, static_cast<float>(inf)}};
  auto add = [&](uint32_t a, uint32_t b, uint32_t c) {
    scene.triangles.push_back({{a, b, c}, {0, 1, 2}, 0});
  };
  add(0, 1, 2);   // good
  add(0, 1, 1);   // two corners share a vertex
  add(0, 6, 1);   // two corners have the same position
  add(0, 1, 3);   // on a line
  add(4, 1, 2);   // NaN
  add(0, 1, 5);   // infinite
  add(6, 7, 8);   // tiny, but with an area
  add(0, 9, 10);  // large
  scene::DroppedTriangles dropped = scene::drop_bad_triangles(scene);
  EXPECT_EQ(dropped.degenerate, 3u);
  EXPECT_EQ(dropped.not_finite, 2u);
  ASSERT_EQ(scene.triangles.size(), 3u);
  EXPECT_EQ(scene.triangles[0].position[2], 2u);
  EXPECT_EQ(scene.triangles[1].position[2], 8u);
  EXPECT_EQ(scene.triangles[2].position[2], 10u);
  EXPECT_EQ(scene.texcoords[0], (Vec2f{0, 0}));
  EXPECT_EQ(scene.texcoords[1], (Vec2f{0.5f, 1}));
  EXPECT_EQ(scene.texcoords[2], (Vec2f{0, 0}));
}

// Two triangles that share an edge and have materials of different base colors.
scene::Scene two_tints(scene::Rgb8 tint) {
  scene::Scene scene;
  scene.materials = {test::white_material(), plain_material(tint)};
  add_rectangle(scene, 0, 1, 1, 0);
  scene.triangles[1].material = 1;
  scene.colors.assign(4, {255, 255, 255, 77});
  scene.colors[3] = {0, 255, 0, 255};
  return scene;
}

TEST(Scene, BaseColorsAreBakedIntoTheVerticesOfTheirOwnTriangles) {
  const scene::Rgb8 tint = {200, 100, 50};
  scene::Scene scene = two_tints(tint), before = scene;
  scene::bake_base_colors(scene);
  EXPECT_EQ(scene.materials[1].base_color, (std::array<float, 4>{1, 1, 1, 1}));
  for (size_t i = 0; i < 3; ++i) {
    uint32_t untinted = scene.triangles[0].position[i], tinted = scene.triangles[1].position[i];
    EXPECT_EQ(scene.colors[untinted], (scene::Rgba8{255, 255, 255, 77}));
    EXPECT_EQ(scene.colors[tinted],
              i == 2 ? (scene::Rgba8{0, 100, 0, 255}) : (scene::Rgba8{200, 100, 50, 77}));
    EXPECT_EQ(scene.positions[untinted], before.positions[before.triangles[0].position[i]]);
    EXPECT_EQ(scene.positions[tinted], before.positions[before.triangles[1].position[i]]);
  }
  EXPECT_EQ(scene.positions.size(), 6u);  // only the shared edge is doubled
  EXPECT_EQ(scene.colors.size(), 6u);

  scene::Scene again = scene;
  scene::bake_base_colors(again);
  EXPECT_EQ(again.colors, scene.colors);
}

// Eight triangles share an edge. Two of their materials have the same base color, and some differ in one channel alone.
TEST(Scene, AVertexIsDoubledOnceForEachBaseColorThatDiffers) {
  const std::array<scene::Rgb8, 8> tints = {
      scene::Rgb8{200, 100, 50}, {200, 100, 50}, {50, 100, 200}, {200, 50, 50},
      {200, 100, 200},           {50, 100, 200}, {50, 100, 50},  {50, 50, 200}};
  scene::Scene scene;
  scene.positions = {{0, 0, 0}, {1, 0, 0}};
  for (uint32_t i = 0; i < tints.size(); ++i) {
    scene.materials.push_back(plain_material(tints[i]));
    scene.positions.push_back({0, 1, double(i)});
    scene.triangles.push_back({{0, 1, 2 + i}, {scene::kNone, scene::kNone, scene::kNone}, i});
  }
  scene.colors.assign(scene.positions.size(), {255, 255, 255, 255});
  scene::bake_base_colors(scene);
  EXPECT_EQ(scene.positions.size(), 2u * 6 + 8);
  for (const scene::Triangle& triangle : scene.triangles)
    for (const uint32_t vertex : triangle.position) {
      const auto [r, g, b] = tints[triangle.material];
      EXPECT_EQ(scene.colors[vertex], (scene::Rgba8{r, g, b, 255}));
    }
}

TEST(Scene, BakingLeavesTexturedMaterialsAndUncoloredScenesAlone) {
  scene::Scene scene = two_tints({1, 2, 3});
  scene.images = {test::noise_image(2, 2, 1)};
  scene.materials[1].image = 0;
  scene::Scene before = scene;
  scene::bake_base_colors(scene);
  EXPECT_EQ(scene.materials[1].base_color, before.materials[1].base_color);
  EXPECT_EQ(scene.positions.size(), 4u);

  scene = two_tints({1, 2, 3});
  scene.colors.clear();
  scene::bake_base_colors(scene);
  EXPECT_EQ(scene.materials[1].base_color, before.materials[1].base_color);
}

// Compares the texels of texture coordinates with a walk from texel to texel.

TEST(WrappedTexel, OfACoordinateIsThatOfTheTexelOfThePlaneThatItLiesIn) {
  for (const scene::Wrap wrap : {scene::Wrap::Repeat, scene::Wrap::Clamp, scene::Wrap::Mirror})
    for (const uint32_t size : {1u, 2u, 7u, 64u})
      for (int64_t texel = -200; texel <= 200; ++texel) {
        const double coordinate = (static_cast<double>(texel) + 0.5) / size;
        ASSERT_EQ(scene::wrapped_texel(coordinate, size, wrap), scene::wrapped_texel(texel, size, wrap))
            << size << ' ' << texel;
        const auto share = static_cast<int64_t>(std::floor(coordinate * 0x1p32));
        ASSERT_EQ(scene::texel_of_share(share, size, wrap), scene::wrapped_texel(texel, size, wrap))
            << size << ' ' << texel;
      }
}

TEST(WrappedTexel, GoesBackAndForthWhereTheImageIsMirrored) {
  const uint32_t expected[] = {0, 1, 2, 2, 1, 0, 0, 1};
  for (int64_t texel = 0; texel < 8; ++texel)
    EXPECT_EQ(scene::wrapped_texel(texel - 12, 3, scene::Wrap::Mirror), expected[texel]);
  EXPECT_EQ(scene::wrapped_texel(int64_t{-1}, 3, scene::Wrap::Repeat), 2u);
  EXPECT_EQ(scene::wrapped_texel(int64_t{-1}, 3, scene::Wrap::Clamp), 0u);
  EXPECT_EQ(scene::wrapped_texel(int64_t{3}, 3, scene::Wrap::Clamp), 2u);
}

void expect_near(Vec3d actual, Vec3d expected, double tolerance) {
  EXPECT_NEAR(actual.x, expected.x, tolerance);
  EXPECT_NEAR(actual.y, expected.y, tolerance);
  EXPECT_NEAR(actual.z, expected.z, tolerance);
}

TEST(Oklab, EveryCodeDecodesAsTheStandardSays) {
  for (int code = 0; code < 256; ++code) {
    double s = code / 255.0;
    double expected = s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
    EXPECT_NEAR(scene::srgb_to_linear(static_cast<uint8_t>(code)), expected, 1e-15) << code;
  }
}

TEST(Oklab, EveryValueEncodesToTheNearestCode) {
  for (int i = -10; i <= 100010; ++i) {
    double value = i / 100000.0, clamped = std::min(1.0, std::max(0.0, value));
    double exact =
        255 * (clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * std::pow(clamped, 1 / 2.4) - 0.055);
    EXPECT_LE(std::abs(scene::linear_to_srgb(value) - exact), 0.5 + 1e-5) << value;
  }
  for (int code = 0; code < 256; ++code)
    EXPECT_EQ(scene::linear_to_srgb(scene::srgb_to_linear(static_cast<uint8_t>(code))), code);
  EXPECT_EQ(scene::linear_to_srgb(std::nan("")), 0);
  EXPECT_EQ(scene::linear_to_srgb(HUGE_VAL), 255);
}

// These values come from CSS Color Module Level 4 and Ottosson's reference implementation.
TEST(Oklab, KnownColorsHaveTheirPublishedCoordinates) {
  expect_near(scene::linear_to_oklab({1, 1, 1}), {1, 0, 0}, 1e-6);
  expect_near(scene::linear_to_oklab({0, 0, 0}), {0, 0, 0}, 0);
  expect_near(scene::linear_to_oklab({1, 0, 0}), {0.6279554, 0.2248631, 0.1258463}, 1e-6);
  expect_near(scene::linear_to_oklab({0, 1, 0}), {0.8664396, -0.2338874, 0.1794985}, 1e-6);
  expect_near(scene::linear_to_oklab({0, 0, 1}), {0.4520137, -0.0324570, -0.3115281}, 1e-6);
}

// The pairs of XYZ and Oklab with three digits are from the table in Ottosson's article. D65 XYZ is first
// converted to linear sRGB.
TEST(Oklab, TheArticlesXyzPairsAreMet) {
  auto oklab = [](double x, double y, double z) {
    return scene::linear_to_oklab({3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
                                   -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
                                   0.0556434 * x - 0.2040259 * y + 1.0572252 * z});
  };
  expect_near(oklab(0.950, 1.000, 1.089), {1.000, 0.000, 0.000}, 1.5e-3);
  expect_near(oklab(1, 0, 0), {0.450, 1.236, -0.019}, 1.5e-3);
  expect_near(oklab(0, 1, 0), {0.922, -0.671, 0.263}, 1.5e-3);
  expect_near(oklab(0, 0, 1), {0.153, -1.415, -0.449}, 1.5e-3);
}

TEST(Oklab, RootsAgreeWithTheLibraryAtEveryMagnitude) {
  // For gray, all three cones receive the gray level, because the coefficients of each add up to 1.
  for (double gray = 1e-30; gray < 1e30; gray *= 1.37) {
    EXPECT_NEAR(scene::cone_roots({gray, gray, gray}).x / std::cbrt(gray), 1, 1e-9);
    EXPECT_NEAR(scene::cone_roots({-gray, -gray, -gray}).y / std::cbrt(-gray), 1, 1e-9);
  }
}

TEST(Oklab, EveryColorSurvivesTheRoundTrip) {
  for (int r = 0; r < 256; r += 5)
    for (int g = 0; g < 256; g += 5)
      for (int b = 0; b < 256; b += 5) {
        scene::Rgb8 color = {static_cast<uint8_t>(r), static_cast<uint8_t>(g), static_cast<uint8_t>(b)};
        EXPECT_EQ(scene::linear_to_srgb(
                      scene::oklab_to_linear(scene::linear_to_oklab(scene::srgb_to_linear(color)))),
                  color);
      }
}

}  // namespace
}  // namespace vox
