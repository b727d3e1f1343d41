// The colors of voxels, compared with the materials that the same triangles give them.

#include <gtest/gtest.h>

#include "libvox/attributes/packed_values.h"
#include "libvox/dag/walk.h"
#include "tests/common/test_engine.h"
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

}  // namespace
}  // namespace vox
