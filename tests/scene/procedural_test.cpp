// Scenes that formulas make, and palettes of a mesh's own materials and objects.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "libvox/scene/palette.h"
#include "libvox/scene/procedural/procedural.h"
#include "libvox/scene/procedural/shapes.h"
#include "tests/common/random.h"
#include "tests/scene/scenes.h"

namespace vox {
namespace {

std::vector<scene::Scene> small_scenes(uint64_t seed) {
  std::vector<scene::Scene> scenes;
  scenes.push_back(scene::make_village({.seed = seed, .texture_size = 32}));
  scenes.push_back(scene::make_city({.blocks = 4, .seed = seed, .texture_size = 32}));
  scenes.push_back(scene::make_bumpy_sphere({.triangles = 5000, .seed = seed, .texture_size = 32}));
  return scenes;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

Vec3d size_of(const scene::Scene& scene) {
  Vec3d low = scene.positions.front(), high = low;
  for (Vec3d p : scene.positions) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return high - low;
}

TEST(Procedural, TheSameSeedGivesTheSameBytes) {
  std::vector<scene::Scene> first = small_scenes(7), second = small_scenes(7);
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(same_bytes(first[i].positions, second[i].positions));
    EXPECT_TRUE(same_bytes(first[i].texcoords, second[i].texcoords));
    EXPECT_TRUE(same_bytes(first[i].triangles, second[i].triangles));
    ASSERT_EQ(first[i].images.size(), second[i].images.size());
    for (size_t k = 0; k < first[i].images.size(); ++k)
      EXPECT_TRUE(same_bytes(first[i].images[k].pixels, second[i].images[k].pixels));
  }
}

TEST(Procedural, AnotherSeedGivesAnotherSceneAndOtherTextures) {
  std::vector<scene::Scene> first = small_scenes(7), second = small_scenes(8);
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_FALSE(same_bytes(first[i].positions, second[i].positions));
    EXPECT_FALSE(same_bytes(first[i].images[0].pixels, second[i].images[0].pixels));
  }
}

TEST(Procedural, EveryTriangleCoversSomethingAndNamesWhatIsThere) {
  for (scene::Scene& scene : small_scenes(1)) {
    for (const scene::Triangle& triangle : scene.triangles) {
      ASSERT_LT(triangle.material, scene.materials.size());
      for (size_t i = 0; i < 3; ++i) {
        ASSERT_LT(triangle.position[i], scene.positions.size());
        ASSERT_LT(triangle.texcoord[i], scene.texcoords.size());
      }
    }
    scene::DroppedTriangles dropped = scene::drop_bad_triangles(scene);
    EXPECT_EQ(dropped.degenerate, 0u);
    EXPECT_EQ(dropped.not_finite, 0u);
    for (const scene::Material& material : scene.materials) EXPECT_LT(material.image, scene.images.size());
    for (const scene::Image& image : scene.images) EXPECT_EQ(image.pixels.size(), 32u * 32u) << image.name;
  }
}

TEST(Procedural, CoordinatesAreExactAsFloats) {
  for (const scene::Scene& scene : small_scenes(3))
    for (Vec3d p : scene.positions)
      for (double x : {p.x, p.y, p.z}) ASSERT_EQ(x, static_cast<double>(static_cast<float>(x)));
}

TEST(Procedural, VillageHasAboutTwentyThousandTrianglesAndLeavesWithHoles) {
  for (uint64_t seed : {1, 2, 3}) {
    scene::Scene scene = scene::make_village({.seed = seed, .texture_size = 64});
    EXPECT_NEAR(static_cast<double>(scene.triangles.size()), 20'000, 3'000);
    auto leaves = std::ranges::find(scene.materials, "leaves", &scene::Material::name);
    ASSERT_NE(leaves, scene.materials.end());
    EXPECT_EQ(leaves->alpha_cutoff, 0.5f);
    const scene::Image& image = scene.images[leaves->image];
    auto solid = std::ranges::count_if(image.pixels, [](scene::Rgba8 p) { return p.a == 255; });
    auto holes = std::ranges::count_if(image.pixels, [](scene::Rgba8 p) { return p.a == 0; });
    EXPECT_GT(solid, 64 * 64 / 8);
    EXPECT_GT(holes, 64 * 64 / 8);
  }
}

TEST(Procedural, CityGrowsWithItsBlocksAndIsLongAndLow) {
  scene::Scene small = scene::make_city({.blocks = 8, .texture_size = 16}),
               large = scene::make_city({.blocks = 24, .texture_size = 16});
  EXPECT_NEAR(static_cast<double>(small.triangles.size()), 1.2e5, 0.4e5);
  EXPECT_NEAR(static_cast<double>(large.triangles.size()), 1e6, 0.2e6);
  Vec3d size = size_of(large);
  EXPECT_NEAR(size.x / size.z, 4, 0.6);
  EXPECT_LT(size.y, size.x / 8);
}

TEST(Procedural, CityOfOneBlockIsACityToo) {
  EXPECT_GT(scene::make_city({.blocks = 1, .texture_size = 16}).triangles.size(), 1000u);
}

TEST(Procedural, SphereComesCloseToEveryCount) {
  EXPECT_EQ(scene::make_bumpy_sphere({.triangles = 12, .texture_size = 16}).triangles.size(), 12u);
  for (uint64_t triangles : {100, 999, 1000, 12'345, 100'000, 1'000'000}) {
    uint64_t made = scene::make_bumpy_sphere({.triangles = triangles, .texture_size = 16}).triangles.size();
    double tolerance = triangles < 5000 ? 0.05 : triangles < 100'000 ? 1e-3 : 1e-4;
    EXPECT_NEAR(static_cast<double>(made), static_cast<double>(triangles),
                tolerance * static_cast<double>(triangles));
  }
}

// Every directed edge occurs once, and so does its reverse, if equal positions are one vertex.
TEST(Procedural, SphereIsClosed) {
  for (uint64_t triangles : {12, 100, 777, 20'000}) {
    scene::Scene scene = scene::make_bumpy_sphere({.triangles = triangles, .texture_size = 16});
    using Point = std::tuple<double, double, double>;
    std::map<std::pair<Point, Point>, int> edges;
    for (const scene::Triangle& triangle : scene.triangles)
      for (size_t i = 0; i < 3; ++i) {
        Vec3d a = scene.positions[triangle.position[i]], b = scene.positions[triangle.position[(i + 1) % 3]];
        ++edges[{{a.x, a.y, a.z}, {b.x, b.y, b.z}}];
      }
    EXPECT_EQ(edges.size(), scene.triangles.size() * 3);
    for (const auto& [edge, count] : edges) {
      ASSERT_EQ(count, 1);
      ASSERT_TRUE(edges.contains({edge.second, edge.first}));
    }
  }
}

TEST(Procedural, AnUnwrappedSphereShowsNoTexelTwice) {
  const scene::Scene repeated = scene::make_bumpy_sphere({.triangles = 700, .texture_size = 16});
  const scene::Scene sphere = scene::make_bumpy_sphere(
      {.triangles = 700, .texture_size = 16, .texcoords = scene::SphereTexcoords::Unwrapped});
  EXPECT_TRUE(sphere.positions == repeated.positions);
  ASSERT_EQ(sphere.triangles.size(), repeated.triangles.size());
  constexpr int kSide = 300;
  std::vector<int> shown(kSide * kSide);  // how many triangles hold the middle of a texel
  for (const scene::Triangle& triangle : sphere.triangles) {
    std::array<Vec2f, 3> corner;
    for (size_t i = 0; i < 3; ++i) corner[i] = sphere.texcoords[triangle.texcoord[i]];
    const auto side = [&](size_t i, float x, float y) {
      const Vec2f a = corner[i], b = corner[(i + 1) % 3];
      return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
    };
    for (const Vec2f c : corner) EXPECT_TRUE(c.x > 0 && c.x < 1 && c.y > 0 && c.y < 1);
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) {
        const float u = (static_cast<float>(x) + 0.5f) / kSide, v = (static_cast<float>(y) + 0.5f) / kSide;
        const std::array sides = {side(0, u, v), side(1, u, v), side(2, u, v)};
        const auto [least, most] = std::minmax_element(sides.begin(), sides.end());
        shown[static_cast<size_t>(y) * kSide + static_cast<size_t>(x)] += *least > 0 || *most < 0;
      }
  }
  EXPECT_EQ(*std::max_element(shown.begin(), shown.end()), 1);
  EXPECT_GT(std::count(shown.begin(), shown.end(), 1), kSide * kSide * 4 / 5);
}

TEST(Procedural, SphereFacesOutwards) {
  scene::Scene scene = scene::make_bumpy_sphere({.triangles = 20'000, .texture_size = 16});
  double volume = 0;
  for (const scene::Triangle& triangle : scene.triangles) {
    auto corner = [&](size_t i) { return scene.positions[triangle.position[i]]; };
    volume += dot(corner(0), cross(corner(1), corner(2))) / 6;
  }
  EXPECT_NEAR(volume, 4.19, 0.6);  // about that of the unit sphere
}

TEST(Noise, UnitCircleIsSineAndCosine) {
  for (int i = -1000; i <= 1000; ++i) {
    double turns = i / 317.0, angle = turns * 2 * 3.14159265358979323846;
    scene::Vec2d p = scene::unit_circle(turns);
    EXPECT_NEAR(p.x, std::cos(angle), 1e-12) << turns;
    EXPECT_NEAR(p.y, std::sin(angle), 1e-12) << turns;
  }
}

TEST(Noise, TilesRepeatWithoutASeam) {
  for (double t : {0.0, 0.3, 0.77})
    for (double edge : {1e-9, 1 - 1e-9}) {
      EXPECT_NEAR(scene::fractal_tile_noise(1, edge, t, 5, 7, 4), scene::fractal_tile_noise(1, 0, t, 5, 7, 4),
                  1e-6);
      EXPECT_NEAR(scene::fractal_tile_noise(1, t, edge, 5, 7, 4), scene::fractal_tile_noise(1, t, 0, 5, 7, 4),
                  1e-6);
    }
}

TEST(Noise, RandomNumbersAreSpreadEvenly) {
  scene::Random random(5);
  std::array<int, 10> counts = {};
  for (int i = 0; i < 100'000; ++i) ++counts[random.below(10)];
  for (int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

// Palettes of a mesh's own materials and objects, and rules that give them numbers.

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

TEST(MeshMaterials, AreThoseOfThePaletteWithColorsThatDiffer) {
  for (const uint32_t count : {1u, 7u, 16u}) {
    const scene::Scene scene = scene_of(count);
    const scene::Palette palette = scene::mesh_palette(scene);
    const scene::MeshMaterials materials = scene::mesh_materials(scene);
    ASSERT_EQ(materials.list.size(), palette.count);
    for (uint32_t i = 0; i < count; ++i) {
      EXPECT_EQ(materials.list[i].name, palette.names[i]);
      EXPECT_EQ(materials.list[i].color, palette.colors[i]);
    }
  }
  scene::Scene scene = scene_of(900);
  for (scene::Material& material : scene.materials) material.base_color = {0.5f, 0.5f, 0.5f, 1};
  const scene::MeshMaterials materials = scene::mesh_materials(scene, {.most = 800});
  ASSERT_EQ(materials.list.size(), 800u);
  EXPECT_EQ(materials.list[799].name, "rest");
  EXPECT_EQ(materials.list[799].members.size(), 101u);
  const scene::IndexedScene indexed = scene::index_scene(scene, materials);
  std::set<uint32_t> colors;
  for (uint32_t i = 0; i < 900; ++i) {
    const auto& [name, color, members] = materials.list[materials.of_material[i]];
    EXPECT_EQ(indexed.materials[i].color, scene::packed_color(color));
    EXPECT_EQ(std::ranges::count(members, scene.materials[i].name), 1);
    for (const uint8_t channel : {color.r, color.g, color.b}) EXPECT_NEAR(channel, 188, 15);
    colors.insert(scene::packed_color(color));
  }
  EXPECT_EQ(colors.size(), 800u);
}

TEST(MeshMaterials, TakeOnlyHolesFromTextures) {
  scene::Scene scene = scene_of(2);
  scene.images.push_back({"leaf", 2, 1, {{255, 0, 0, 255}, {0, 255, 0, 0}}});
  scene.materials[1].image = 0;
  scene.materials[1].alpha_cutoff = 0.5f;
  const scene::MeshMaterials materials = scene::mesh_materials(scene);
  const scene::IndexedScene indexed = scene::index_scene(scene, materials);
  ASSERT_EQ(indexed.textures.size(), 1u);
  EXPECT_EQ(indexed.materials[0].texture, scene::kNone);
  EXPECT_EQ(indexed.materials[1].texture, 0u);
  EXPECT_EQ(indexed.textures[0].opaque[0] & 3, 1u);
  EXPECT_TRUE(indexed.textures[0].nibbles.empty() && indexed.textures[0].colors.empty());
  EXPECT_EQ(indexed.materials[1].color, scene::packed_color(materials.list[materials.of_material[1]].color));
}

}  // namespace
}  // namespace vox
