#include "libvox/scene/scene.h"

#include <gtest/gtest.h>

#include <cmath>

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

// Two triangles that share an edge and have materials of different base colours.
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

}  // namespace
}  // namespace vox
