// Values of voxels: colors, normals, materials by depth, and distances in a band.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

#include "libvox/attributes/packed_values.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/walk.h"
#include "libvox/voxelize/distances.h"
#include "libvox/voxelize/inside.h"
#include "libvox/voxelize/normals.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/brute_force.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

uint32_t color_of(uint32_t material) {
  return static_cast<uint32_t>(mix64(material + 1)) & 0xffffff;
}

// The same soup with a color for each palette entry.
Soup in_colors(Soup soup) {
  for (scene::IndexedMaterial& material : soup.indexed.materials) material.color = color_of(material.index);
  for (scene::IndexedTexture& texture : soup.indexed.textures) {
    if (texture.nibbles.empty()) continue;
    for (uint64_t texel = 0; texel < texel_count(texture); ++texel)
      texture.colors.push_back(color_of(texture.nibbles[texel / 8] >> texel % 8 * 4 & 15));
    texture.nibbles.clear();
  }
  return soup;
}

Soup random_soup(uint64_t seed) {
  Random random(seed);
  Soup soup = textured_soup(random);
  const auto materials = static_cast<uint32_t>(soup.indexed.materials.size());
  for (int i = 0; i < 300; ++i) {
    const Vec3d center = random.in_cube(4, 500);
    const double size = random.below(10) == 0 ? 60 : 8;
    const auto corner = [&] { return center + random.in_cube(-size, size); };
    soup.add({corner(), corner(), corner()}, random_uv(random), random.below(materials));
  }
  return soup;
}

void expect_colors(const voxelize::BuildResult& colors, const voxelize::BuildResult& materials) {
  ASSERT_TRUE(colors.colors);
  ASSERT_EQ(colors.colors->count, materials.dag.voxels);
  uint64_t number = 0, wrong = 0;
  dag::for_each_leaf(materials.dag, cube_at({0, 0, 0}, materials.dag.side()),
                     [&](Int3, uint64_t mask, const uint32_t* leaf) {
                       for (uint64_t left = mask; left != 0; left &= left - 1) {
                         const auto bit = static_cast<uint32_t>(lowest_bit(left));
                         if ((*colors.colors)[number++] != color_of(dag::leaf_material(leaf, bit))) ++wrong;
                       }
                     });
  EXPECT_EQ(wrong, 0u) << "of " << number;
}

TEST(VoxelColors, AreThoseOfTheMaterialsInChunksOfAnySize) {
  const std::unique_ptr<Engine> engine = test_engine();
  for (const uint64_t seed : {1, 2, 3}) {
    const Soup soup = random_soup(seed), painted = in_colors(soup);
    for (const scene::Coverage coverage : {scene::Coverage::Conservative, scene::Coverage::Thin}) {
      const voxelize::BuildResult materials = build_soup(*engine, soup, 512, {.coverage = coverage});
      const voxelize::BuildResult plain =
          build_soup(*engine, soup, 512, {.coverage = coverage, .materials = false});
      std::optional<attributes::PackedValues> first;
      for (const uint64_t chunk_pairs : {0, 3000, 40000}) {
        const voxelize::BuildResult colors = build_soup(
            *engine, painted, 512,
            {.coverage = coverage, .materials = false, .colors = true, .chunk_pairs = chunk_pairs});
        EXPECT_EQ(colors.dag.digest, plain.dag.digest);
        expect_colors(colors, materials);
        if (!first) first = colors.colors;
        EXPECT_EQ(*colors.colors, *first);
      }
    }
  }
}

TEST(VoxelColors, OfTexturesWithHolesAloneAreThoseOfTheirMaterials) {
  const std::unique_ptr<Engine> engine = test_engine();
  for (const uint64_t seed : {4, 5}) {
    Soup masks = random_soup(seed), filled = masks;
    for (size_t i = 0; i < masks.indexed.materials.size(); ++i) {
      scene::IndexedMaterial& material = filled.indexed.materials[i];
      material.index = masks.indexed.materials[i].index = static_cast<uint8_t>(i);
      if (material.texture == scene::kNone || masks.indexed.textures[material.texture].opaque.empty())
        continue;
      masks.indexed.textures[material.texture].nibbles.clear();
      scene::IndexedTexture texture = filled.indexed.textures[material.texture];
      for (uint32_t& word : texture.nibbles) word = static_cast<uint32_t>(i) * 0x11111111u;
      material.texture = static_cast<uint32_t>(filled.indexed.textures.size());
      filled.indexed.textures.push_back(std::move(texture));
    }
    const voxelize::BuildResult materials = build_soup(*engine, filled, 512);
    EXPECT_EQ(build_soup(*engine, masks, 512).dag.digest, materials.dag.digest);
    expect_colors(build_soup(*engine, in_colors(masks), 512, {.materials = false, .colors = true}),
                  materials);
  }
}

// Voxels inside have the colors of the materials that --solid gives them, in nodes of all sizes, if the surface has no holes.
TEST(VoxelColors, OfSolidsAreThoseOfTheirMaterials) {
  const std::unique_ptr<Engine> engine = test_engine();
  for (const uint32_t resolution : {61u, 160u}) {
    Soup soup = textured_sphere(resolution, 12, resolution);
    for (scene::IndexedTexture& texture : soup.indexed.textures) texture.opaque.clear();
    const Soup painted = in_colors(soup);
    const voxelize::BuildResult materials = build_soup(*engine, soup, resolution, {.solid = true}),
                                colors = build_soup(*engine, painted, resolution,
                                                    {.materials = false, .colors = true, .solid = true});
    ASSERT_GT(materials.dag.voxels, resolution * resolution * resolution / 10);
    expect_colors(colors, materials);
  }
}

// Colors of vertices are kept to the last bit where the color is the same at all corners, and lie between those of the
// corners elsewhere.
TEST(VoxelColors, OfVerticesLieBetweenThoseOfTheCorners) {
  const std::unique_ptr<Engine> engine = test_engine();
  Random random(5);
  Soup soup;
  soup.indexed.materials[0].vertex_colors = true;
  soup.add({Vec3d{2, 2, 8.5}, Vec3d{60, 3, 8.5}, Vec3d{5, 58, 8.5}});
  soup.scene.colors = {{200, 10, 77, 255}, {200, 60, 77, 255}, {200, 30, 77, 255}};
  const voxelize::BuildResult built = build_soup(*engine, soup, 64, {.materials = false, .colors = true});
  ASSERT_GT(built.colors->count, 500u);
  uint32_t low = 255, high = 0;
  for (uint64_t i = 0; i < built.colors->count; ++i) {
    const scene::Rgb8 color = scene::unpacked_color((*built.colors)[i]);
    EXPECT_EQ(color.r, 200);
    EXPECT_EQ(color.b, 77);
    low = std::min<uint32_t>(low, color.g), high = std::max<uint32_t>(high, color.g);
  }
  EXPECT_GE(low, 10u);
  EXPECT_LE(low, 12u);
  EXPECT_GE(high, 57u);
  EXPECT_LE(high, 60u);
}

TEST(VoxelColors, OfASceneWithoutVoxelsAreNone) {
  const std::unique_ptr<Engine> engine = test_engine();
  const voxelize::BuildResult built = build_soup(*engine, Soup(), 64, {.materials = false, .colors = true});
  EXPECT_EQ(built.colors->count, 0u);
  EXPECT_EQ(built.colors->byte_count, 0u);
}

// The normals of voxels, compared with those of the triangles that give the same voxels their materials.

// Sixteen triangles, each with a material of its own, in the world of a grid.
Soup sixteen_triangles(uint64_t seed, const Vec3d& world) {
  Random random(seed);
  Soup soup(0);
  for (uint8_t i = 1; i < 16; ++i) soup.add_material({.index = i});
  for (uint32_t i = 0; i < 16; ++i) {
    const Vec3d center = random.in_cube(20, 108);
    const auto corner = [&] { return product(center + random.in_cube(-40, 40), world); };
    soup.add({corner(), corner(), corner()}, i);
  }
  return soup;
}

Vec3d normal_of(const Soup& soup, uint32_t triangle) {
  const auto corner = [&](size_t i) {
    return soup.scene.positions[soup.scene.triangles[triangle].position[i]];
  };
  return cross(corner(1) - corner(0), corner(2) - corner(0));
}

TEST(VoxelNormals, AreThoseOfTheTrianglesThatGiveTheMaterials) {
  const std::unique_ptr<Engine> engine = test_engine();
  for (const uint64_t seed : {1, 2, 3, 4})
    for (const VoxelSize& size : {VoxelSize(1), VoxelSize(0.37), VoxelSize(1, 2, 5)}) {
      const Soup soup = sixteen_triangles(seed, size.sides());
      const voxelize::Grid grid = {.resolution = 128, .origin = {0, 0, 0}, .voxel_size = size};
      const voxelize::BuildResult materials = engine->build(soup.scene, soup.indexed, grid, {});
      std::optional<attributes::PackedValues> first;
      for (const uint64_t chunk_pairs : {0, 3000}) {
        const attributes::PackedValues normals =
            voxelize::build_normals(engine->handle(), soup.scene, soup.indexed, grid,
                                    {.materials = false, .chunk_pairs = chunk_pairs}, {});
        ASSERT_EQ(normals.count, materials.dag.voxels);
        if (!first) first = normals;
        EXPECT_EQ(normals, *first);
      }
      EXPECT_NO_THROW(attributes::verify(*first));
      uint64_t number = 0;
      dag::for_each_leaf(
          materials.dag, cube_at({0, 0, 0}, 128), [&](Int3, uint64_t mask, const uint32_t* leaf) {
            for (; mask != 0; mask &= mask - 1) {
              const auto bit = static_cast<uint32_t>(lowest_bit(mask));
              const Vec3d expected = normal_of(soup, dag::leaf_material(leaf, bit));
              const Vec3<float> found = attributes::unit_direction((*first)[number++]);
              // Corners are snapped to 1/256 voxel, which turns small triangles a little.
              const Vec3d direction = {found.x, found.y, found.z};
              ASSERT_GT(dot(expected, direction) / length(expected), std::cos(1.2 * 3.1416 / 180));
            }
          });
    }
}

TEST(VoxelNormals, OfASceneWithoutVoxelsAreNone) {
  const std::unique_ptr<Engine> engine = test_engine();
  const Soup soup;
  EXPECT_EQ(voxelize::build_normals(engine->handle(), soup.scene, soup.indexed, unit_grid(64), {}, {}).count,
            0u);
}

// Compares materials by depth with a search around every voxel.

constexpr uint8_t kMark = 15;

// Returns the material that a voxel inside should have, by the distances to all surface voxels near it.
uint8_t expected(const std::vector<int>& marked, int resolution, Int3 voxel, const VoxelSize& size,
                 const voxelize::Shells& shells) {
  std::array<int64_t, 3> sides = {}, reach = {};
  const auto deepest = static_cast<int64_t>(shells.shells.back().depth);
  for (uint32_t k = 0; k < 3; ++k) {
    sides[k] = std::llround(1024 * size[k] / size.shortest());
    reach[k] = std::min<int64_t>(deepest / sides[k], resolution);
  }
  int64_t nearest = INT64_MAX;
  for (int64_t z = -reach[2]; z <= reach[2]; ++z)
    for (int64_t y = -reach[1]; y <= reach[1]; ++y)
      for (int64_t x = -reach[0]; x <= reach[0]; ++x) {
        const Int3 other = voxel + Int3{static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
        if (std::min({other.x, other.y, other.z}) < 0 || std::max({other.x, other.y, other.z}) >= resolution)
          continue;
        const int place = other.x + resolution * (other.y + resolution * other.z);
        const int material = marked[static_cast<size_t>(place)];
        if (material == dag::kEmptyVoxel || material == kMark) continue;
        const int64_t dx = x * sides[0], dy = y * sides[1], dz = z * sides[2];
        nearest = std::min(nearest, dx * dx + dy * dy + dz * dz);
      }
  for (const voxelize::Shell& shell : shells.shells)
    if (nearest <= static_cast<int64_t>(shell.depth * shell.depth)) return shell.material;
  return shells.interior;
}

void expect_shells(const Soup& soup, uint32_t resolution, const VoxelSize& size,
                   const voxelize::Shells& shells, uint32_t samples) {
  const dag::FrozenDag marked =
      build_soup(*test_engine(), soup, resolution, {.solid = true, .inside = kParity, .interior = kMark}).dag;
  const dag::FrozenDag result = voxelize::with_shells(marked, kMark, size, shells);
  ASSERT_NO_THROW(dag::verify(result));
  EXPECT_EQ(result.voxels, marked.voxels);
  std::vector<int> dense;
  for (uint32_t z = 0; z < resolution; ++z)
    for (uint32_t y = 0; y < resolution; ++y)
      for (uint32_t x = 0; x < resolution; ++x) dense.push_back(dag::voxel_at(marked, x, y, z));
  Random random(resolution);
  std::array<uint64_t, 16> found = {};
  for (uint32_t i = 0; i < samples; ++i) {
    const uint32_t x = random.below(resolution), y = random.below(resolution), z = random.below(resolution);
    const int before = dag::voxel_at(marked, x, y, z), after = dag::voxel_at(result, x, y, z);
    if (before != kMark) {
      ASSERT_EQ(after, before);
      continue;
    }
    const Int3 voxel = {static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
    ASSERT_EQ(after, expected(dense, static_cast<int>(resolution), voxel, size, shells))
        << x << ' ' << y << ' ' << z;
    ++found[static_cast<size_t>(after)];
  }
  for (const voxelize::Shell& shell : shells.shells) EXPECT_GT(found[shell.material], 0u);
  EXPECT_GT(found[shells.interior], 0u);
}

TEST(Shells, AreTheDistancesToTheNearestSurfaceVoxels) {
  const uint32_t samples = 500 * kThoroughness;
  const Soup ball = bumpy_sphere({50, 50, 50}, 46, 16, 0.2, 3);
  expect_shells(ball, 100, 1, {{{2 * 1024, 3}, {5 * 1024 + 300, 4}, {11 * 1024, 0}}, 7}, samples);
  expect_shells(ball, 100, {1, 2, 0.7}, {{{3 * 1024, 3}, {9 * 1024, 4}}, 7}, samples);
  // Squares of these depths need more than 32 bits.
  expect_shells(ball, 100, {1, 2, 0.7}, {{{20 * 1024, 3}, {33 * 1024, 4}}, 7}, 100 * kThoroughness);
  // The grid cuts a part of the ball off, whose surface does not count.
  const Soup cut = bumpy_sphere({70, 40, 50}, 50, 16, 0.1, 3);
  expect_shells(cut, 77, 0.3, {{{1024, 1}, {8 * 1024, 2}}, 3}, samples);
}

TEST(Shells, AreThoseOfSeveralBodiesThatLieApart) {
  std::vector<Soup> bodies;
  Random random(5);
  for (int i = 0; i < 30; ++i) {
    const Vec3d center = {20 + 160 * random.uniform(0, 1), 20 + 160 * random.uniform(0, 1),
                          20 + 160 * random.uniform(0, 1)};
    bodies.push_back(bumpy_sphere(center, 4 + 14 * random.uniform(0, 1), 6, 0.1, 3));
  }
  expect_shells(all_of(bodies), 200, 1, {{{1500, 3}, {6 * 1024, 4}}, 7}, 2000 * kThoroughness);
}

TEST(Shells, ThatReachBeyondABodyFillAllOfIt) {
  const Soup ball = bumpy_sphere({50, 50, 50}, 40, 16, 0, 3);
  const dag::FrozenDag marked =
      build_soup(*test_engine(), ball, 100, {.solid = true, .inside = kParity, .interior = kMark}).dag;
  const auto shells = [&](uint64_t depth, uint8_t first, uint8_t rest) {
    return voxelize::with_shells(marked, kMark, 1, {{{depth, first}}, rest}).digest;
  };
  const dag::Digest filled =
      build_soup(*test_engine(), ball, 100, {.solid = true, .inside = kParity, .interior = 6}).dag.digest;
  EXPECT_EQ(shells(voxelize::kMostDepth, 6, 2), filled);
  EXPECT_EQ(shells(1, 2, 6), filled);
  EXPECT_EQ(shells(1024, 6, 6), filled);
  EXPECT_NE(shells(1024, 2, 6), filled);
}

// Compares distances in a band with a loop over all triangles, and their signs with winding numbers.

// The distance to a segment.
double to_segment(Vec3d p, Vec3d a, Vec3d b) {
  const Vec3d way = b - a;
  const double along = std::clamp(dot(p - a, way) / dot(way, way), 0., 1.);
  return length(a + way * along - p);
}

// The distance to a triangle: that to its plane if the foot of the perpendicular lies within its edges, else that to the
// nearest edge.
double to_triangle(Vec3d p, const Corners& t) {
  const Vec3d normal = cross(t[1] - t[0], t[2] - t[0]);
  bool is_above = true;
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < 3; ++i) {
    const Vec3d &from = t[i], &to = t[(i + 1) % 3];
    is_above = is_above && dot(cross(to - from, p - from), normal) >= 0;
    nearest = std::min(nearest, to_segment(p, from, to));
  }
  return is_above ? std::abs(dot(p - t[0], normal)) / length(normal) : nearest;
}

template <class Value>
std::vector<Value> values_of(const volume::Volume& volume) {
  std::vector<Value> values(volume.info.box().voxels());
  volume.read(volume.info.box(), reinterpret_cast<std::byte*>(values.data()));
  return values;
}

void expect_distances(const Soup& soup, const voxelize::Grid& grid, double band,
                      std::optional<voxelize::InsideRule> rule, uint32_t samples) {
  voxelize::DistanceOptions options = {.band = band, .inside = rule};
  const voxelize::DistanceField on_host(soup.scene, soup.indexed, grid, options);
  const std::unique_ptr<Engine> engine = test_engine();
  options.device = engine->handle();
  const voxelize::DistanceField field(soup.scene, soup.indexed, grid, options);
  const std::vector<float> distances = values_of<float>(field.distance_volume());
  const std::vector<uint8_t> materials = values_of<uint8_t>(field.material_volume());
  EXPECT_EQ(distances, values_of<float>(on_host.distance_volume()));
  EXPECT_EQ(materials, values_of<uint8_t>(on_host.material_volume()));
  const double side = grid.voxel_size.shortest(), end = band * side;
  EXPECT_DOUBLE_EQ(field.band(), end);
  Random random(3);
  uint32_t near = 0, inside = 0;
  for (uint32_t i = 0; i < samples; ++i) {
    const Int3 voxel = {static_cast<int>(random.below(grid.resolution)),
                        static_cast<int>(random.below(grid.resolution)),
                        static_cast<int>(random.below(grid.resolution))};
    const Vec3d at =
        grid.origin + product({voxel.x + .5, voxel.y + .5, voxel.z + .5}, grid.voxel_size.sides());
    double nearest = std::numeric_limits<double>::infinity();
    std::vector<uint8_t> indices;  // of triangles that are about as near
    for (const scene::Triangle& triangle : soup.scene.triangles) {
      const Corners corners = {soup.scene.positions[triangle.position[0]],
                               soup.scene.positions[triangle.position[1]],
                               soup.scene.positions[triangle.position[2]]};
      const double distance = to_triangle(at, corners);
      if (distance < nearest - 1e-9 * side) indices.clear();
      if (distance < nearest + 1e-9 * side)
        indices.push_back(soup.indexed.materials[triangle.material].index);
      nearest = std::min(nearest, distance);
    }
    const size_t place = static_cast<size_t>(voxel.x) +
                         grid.resolution * (static_cast<size_t>(voxel.y) + grid.resolution * size_t(voxel.z));
    ASSERT_NEAR(std::abs(distances[place]), std::min(nearest, end), 1e-5 * side);
    if (nearest < end - 1e-6 * side) {
      ++near;
      ASSERT_TRUE(std::ranges::find(indices, materials[place] - 1) != indices.end());
    } else if (nearest > end + 1e-6 * side) {
      ASSERT_EQ(materials[place], 0);
    }
    ASSERT_TRUE(rule || distances[place] >= 0);
    // Corners are snapped to 256ths of a voxel to tell what is inside.
    if (!rule || nearest < grid.voxel_size.longest() / 64) continue;
    const double winding = brute::winding_number(soup.scene, at);
    ASSERT_EQ(distances[place]<0, std::abs(winding)> 0.5) << winding;
    inside += distances[place] < 0 ? 1 : 0;
  }
  EXPECT_GT(near, samples / 100);
  EXPECT_TRUE(!rule || inside > samples / 100) << inside;
}

TEST(Distances, AreThoseToTheNearestOfAllTriangles) {
  Soup both = all_of({bumpy_sphere({20, 22, 24}, 17, 10, 0.2, 1), bumpy_sphere({40, 40, 40}, 15, 8, 0, 2)});
  const uint32_t other = both.add_material({.index = 6});
  for (size_t i = 0; i < both.scene.triangles.size(); i += 2) both.scene.triangles[i].material = other;
  const uint32_t samples = 300 * kThoroughness;
  expect_distances(both, unit_grid(61), 3, voxelize::InsideRule::Winding, samples);
  expect_distances(both, unit_grid(61), 10.5, std::nullopt, samples);
  expect_distances(both, {.resolution = 50, .origin = {-3, 2, 5}, .voxel_size = {1.5, 0.8, 1.1}}, 4,
                   voxelize::InsideRule::Winding, samples);
}

TEST(Distances, AreExactForLongTrianglesInManyBricks) {
  Soup soup;
  Random random(9);
  for (int i = 0; i < 30; ++i)
    soup.add({random.in_cube(-50, 200), random.in_cube(-50, 200), random.in_cube(-50, 200)});
  expect_distances(soup, unit_grid(128), 2, std::nullopt, 1000 * kThoroughness);
}

TEST(Distances, BeyondMemoryAreAnError) {
  const Soup ball = bumpy_sphere({500, 500, 500}, 480, 60, 0, 1);
  EXPECT_THROW(voxelize::DistanceField(ball.scene, ball.indexed, unit_grid(1000),
                                       {.band = 60, .memory_limit = 400 << 20}),
               OutOfMemory);
}

}  // namespace
}  // namespace vox
