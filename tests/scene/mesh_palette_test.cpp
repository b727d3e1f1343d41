// Palettes of a mesh's own materials and objects, and rules that give them numbers.

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "libvox/scene/palette.h"
#include "tests/common/random.h"
#include "tests/scene/scenes.h"

namespace vox {
namespace {

using test::add_rectangle;
using test::plain_material;

// Returns a scene of materials with falling areas: m0 is the largest.
scene::Scene scene_of(uint32_t materials) {
  scene::Scene scene;
  for (uint32_t i = 0; i < materials; ++i) {
    scene.materials.push_back(plain_material({static_cast<uint8_t>(10 * i), 0, 0}));
    scene.materials.back().name = "m" + std::to_string(i);
    add_rectangle(scene, i, 1, materials - i, i);
  }
  return scene;
}

std::vector<uint8_t> entries_of(const scene::Palette& palette) {
  std::vector<uint8_t> entries;
  for (const scene::NamedEntry& member : palette.members) entries.push_back(member.entry);
  return entries;
}

// The slow way: every way to let a * stand for text.
bool matches_slowly(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*')
    return matches_slowly(name, pattern.substr(1)) ||
           (!name.empty() && matches_slowly(name.substr(1), pattern));
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
         matches_slowly(name.substr(1), pattern.substr(1));
}

TEST(Patterns, MatchAsATrialOfAllWaysDoes) {
  std::mt19937 random(3);
  const auto word = [&](std::string_view letters, size_t most) {
    std::string text(random() % (most + 1), ' ');
    for (char& c : text) c = letters[random() % letters.size()];
    return text;
  };
  uint32_t matching = 0;
  for (uint32_t i = 0; i < 20'000 * kThoroughness; ++i) {
    const std::string name = word("ab", 7), pattern = word("ab*?", 6);
    ASSERT_EQ(scene::matches(name, pattern), matches_slowly(name, pattern)) << name << ' ' << pattern;
    matching += scene::matches(name, pattern) ? 1 : 0;
  }
  EXPECT_GT(matching, 1000u);
  EXPECT_TRUE(scene::matches("wänd", "w?nd"));
  EXPECT_FALSE(scene::matches("wänd", "w??nd"));
  EXPECT_FALSE(scene::matches(std::string(100'000, 'a'), std::string(200, '*') + "b"));
}

TEST(MeshPalette, UpToSixteenMaterialsHaveAnEntryEach) {
  const scene::Palette palette = scene::mesh_palette(scene_of(16));
  EXPECT_EQ(palette.count, 16u);
  for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(palette.names[i], "m" + std::to_string(i));
}

TEST(MeshPalette, MaterialsBeyondSixteenShareTheLastEntry) {
  const scene::Scene scene = scene_of(18);
  const scene::Palette palette = scene::mesh_palette(scene);
  ASSERT_EQ(palette.count, 16u);
  EXPECT_EQ(palette.names[14], "m14");
  EXPECT_EQ(palette.names[15], "rest");
  EXPECT_NEAR(palette.colors[15].r, 157, 3);  // between 150, 160 and 170, the larger area is darker
  const scene::IndexedScene indexed = scene::index_scene(scene, palette, scene::MaterialMode::Mesh);
  for (uint32_t i = 0; i < 18; ++i) EXPECT_EQ(indexed.materials[i].index, std::min(i, 15u));
  EXPECT_NEAR(std::accumulate(indexed.shares.begin(), indexed.shares.end(), 0.0), 1, 1e-12);
  EXPECT_NEAR(indexed.shares[15], 6.0 / 171, 1e-9);
  EXPECT_EQ(scene::mesh_palette(scene, {.most = 4}).names[3], "rest");
}

TEST(MeshPalette, ObjectsHaveAnEntryEachWhateverTheirMaterialsAre) {
  scene::Scene scene = scene_of(6);
  const char* const objects[] = {"lid", "box", "lid", "", "box", "lid"};
  for (size_t i = 0; i < 6; ++i) scene.materials[i].object = objects[i];
  const scene::Palette palette = scene::mesh_palette(scene, {.mode = scene::MaterialMode::Object});
  ASSERT_EQ(palette.count, 3u);  // areas: lid 6 + 4 + 1, box 5 + 2, nameless 3
  EXPECT_EQ(palette.names[0], "lid");
  EXPECT_EQ(palette.names[1], "box");
  EXPECT_EQ(palette.names[2], scene::hex_name(palette.colors[2]));
  const scene::IndexedScene indexed = scene::index_scene(scene, palette, scene::MaterialMode::Object);
  const uint8_t expected[] = {0, 1, 0, 2, 1, 0};
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(indexed.materials[i].index, expected[i]) << i;
}

TEST(MeshPalette, APaletteFromElsewhereGoesToTheLargestAreas) {
  const scene::Scene scene = scene_of(4);
  scene::Palette two;
  two.count = 2;
  two.colors = {scene::Rgb8{0, 200, 0}, scene::Rgb8{30, 0, 0}};
  const scene::IndexedScene indexed = scene::index_scene(scene, two, scene::MaterialMode::Mesh);
  EXPECT_EQ(indexed.materials[0].index, 0);
  EXPECT_EQ(indexed.materials[1].index, 1);
  EXPECT_EQ(indexed.materials[2].index, 1);  // the nearest color
  EXPECT_EQ(indexed.materials[3].index, 1);
}

TEST(MeshPalette, RulesGiveNumbersAndTheLastOneThatMatchesDecides) {
  const scene::Scene scene = scene_of(12);
  const std::vector<scene::AssignRule> rules = {{"m*", 2, ""},        {"m1?", 9, "late"}, {"m3", 5, ""},
                                                {"none", 7, "water"}, {"m11", 0, ""},     {"m4", 2, ""}};
  const scene::Palette palette = scene::mesh_palette(scene, {.rules = rules});
  EXPECT_EQ(entries_of(palette), (std::vector<uint8_t>{2, 2, 2, 5, 2, 2, 2, 2, 2, 2, 9, 0}));
  EXPECT_EQ(palette.count, 10u);
  EXPECT_EQ(palette.names[2], "m*");
  EXPECT_EQ(palette.names[5], "m3");
  EXPECT_EQ(palette.names[7], "water");
  EXPECT_EQ(palette.names[9], "late");
  EXPECT_EQ(palette.names[1], "unused");
  const scene::IndexedScene indexed = scene::index_scene(scene, palette, scene::MaterialMode::Mesh);
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(indexed.materials[i].index, palette.members[i].entry);
  EXPECT_EQ(palette.colors[5], (scene::Rgb8{30, 0, 0}));
}

TEST(MeshPalette, ANumberHasTheNameOfItsRuleOrItsOnlyMemberAndTheColorOfItsAreas) {
  scene::Scene scene = scene_of(4);
  scene.materials.push_back(plain_material({9, 8, 7}));  // covers nothing
  scene.materials.back().name = "hidden";
  for (const scene::Rgb8 color : {scene::Rgb8{1, 2, 3}, scene::Rgb8{4, 5, 6}}) {
    scene.materials.push_back(plain_material(color));
    scene.materials.back().name = "ghost " + std::to_string(color.r);
  }
  const std::vector<scene::AssignRule> rules = {{"none", 1, ""}, {"m[", 6, ""}, {"m3*", 5, ""},
                                                {"none", 5, ""}, {"m0", 1, ""}, {"m2", 1, ""},
                                                {"hid*", 2, ""}, {"gh*", 3, ""}};
  const scene::Palette palette = scene::mesh_palette(scene, {.rules = rules});
  EXPECT_EQ(entries_of(palette), (std::vector<uint8_t>{1, 0, 1, 5, 2, 3, 3}));
  EXPECT_EQ(palette.names[1], "m0");
  EXPECT_EQ(palette.names[2], "hidden");
  EXPECT_EQ(palette.names[5], "m3");
  EXPECT_EQ(palette.names[6], "m[");
  EXPECT_EQ(palette.colors[2], (scene::Rgb8{9, 8, 7}));
  EXPECT_EQ(palette.colors[3], (scene::Rgb8{1, 2, 3}));
  EXPECT_EQ(palette.colors[6], (scene::Rgb8{128, 128, 128}));
  EXPECT_NEAR(palette.colors[1].r, 11, 3);  // of 0 on an area of 4 and 20 on 2
}

TEST(MeshPalette, NamesWithoutARuleShareEntryZero) {
  const scene::Scene scene = scene_of(5);
  const std::vector<scene::AssignRule> rules = {{"m2", 1, "steel"}};
  const scene::Palette palette = scene::mesh_palette(scene, {.rules = rules});
  EXPECT_EQ(entries_of(palette), (std::vector<uint8_t>{0, 0, 1, 0, 0}));
  EXPECT_EQ(palette.names[0], "unassigned");
}

}  // namespace
}  // namespace vox
