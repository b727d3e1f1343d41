// The normals of voxels, compared with those of the triangles that give the same voxels their materials.

#include "libvox/voxelize/normals.h"

#include <gtest/gtest.h>

#include "libvox/dag/walk.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

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

}  // namespace
}  // namespace vox
