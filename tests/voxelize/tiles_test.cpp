// Tests tiles of a mesh that are converted separately with snapped origins.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "tests/common/test_engine.h"
#include "tests/voxelize/dense.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

// The filled voxels of the world with their materials.
using Voxel = std::tuple<int64_t, int64_t, int64_t>;
using Voxels = std::map<Voxel, int>;

Voxels voxels_of(Engine& engine, const Soup& soup, const voxelize::Grid& grid,
                 const voxelize::BuildOptions& options) {
  const Dense dense = to_dense(engine.build(soup.scene, soup.indexed, grid, options).dag);
  const auto side = static_cast<int32_t>(dense.side);
  Voxels voxels;
  for (int32_t z = 0; z < side; ++z)
    for (int32_t y = 0; y < side; ++y)
      for (int32_t x = 0; x < side; ++x)
        if (dense.filled({x, y, z}))
          voxels[{x + static_cast<int64_t>(grid.first_voxel->x),
                  y + static_cast<int64_t>(grid.first_voxel->y),
                  z + static_cast<int64_t>(grid.first_voxel->z)}] = dense.at({x, y, z});
  return voxels;
}

Voxels within(const Voxels& voxels, const voxelize::Grid& grid) {
  auto inside = [&](int64_t voxel, double first) {
    return voxel >= static_cast<int64_t>(first) && voxel < static_cast<int64_t>(first) + grid.resolution;
  };
  Voxels result;
  for (const auto& [voxel, material] : voxels)
    if (inside(std::get<0>(voxel), grid.first_voxel->x) && inside(std::get<1>(voxel), grid.first_voxel->y) &&
        inside(std::get<2>(voxel), grid.first_voxel->z))
      result[voxel] = material;
  return result;
}

constexpr double kVoxel = 0.1;  // its multiples are not exact in binary

// Returns triangles with every second vertex on faces of voxels, in numbers with one decimal.
Soup decimals(uint64_t seed) {
  Soup soup;
  const uint32_t other = soup.add_material({.index = 3});
  Random random(seed);
  for (int i = 0; i < 60; ++i) {
    Corners corners;
    const Vec3d center = random.in_cube(-2, 2);
    for (Vec3d& p : corners) {
      p = center + random.in_cube(-0.6, 0.6);
      if (random.below(2))
        p = {std::round(p.x * 10) / 10, std::round(p.y * 10) / 10, std::round(p.z * 10) / 10};
    }
    soup.add(corners, i % 2 ? other : 0);
  }
  return soup;
}

TEST(Tiles, OfTrianglesConvertedApartFillWhatTheWholeMeshFills) {
  const auto engine = test_engine();
  for (uint64_t seed : {1u, 2u, 3u, 4u})
    for (scene::Coverage coverage : {scene::Coverage::Conservative, scene::Coverage::Thin}) {
      const voxelize::BuildOptions options = {.coverage = coverage, .materials = false};
      const Soup whole = decimals(seed);
      const voxelize::GridOptions grid = {.voxel_size = kVoxel, .snap = true};
      Soup tiles[2];
      for (const scene::Triangle& triangle : whole.scene.triangles) {
        Corners corners;
        for (size_t i = 0; i < 3; ++i) corners[i] = whole.scene.positions[triangle.position[i]];
        tiles[corners[0].x + corners[1].x + corners[2].x < 0.6 ? 0 : 1].add(corners);
      }
      Voxels together;
      for (const Soup& tile : tiles)
        together.merge(voxels_of(*engine, tile, voxelize::fit_grid(tile.scene, grid), options));
      EXPECT_EQ(together, voxels_of(*engine, whole, voxelize::fit_grid(whole.scene, grid), options));
    }
}

TEST(Tiles, ThatClipBoxesCutAreTheWholeMeshThere) {
  const auto engine = test_engine();
  for (uint64_t seed : {5u, 6u}) {
    const Soup soup = decimals(seed);
    const Voxels whole =
        voxels_of(*engine, soup, voxelize::fit_grid(soup.scene, {.voxel_size = kVoxel, .snap = true}), {});
    size_t seen = 0;
    for (double x : {-3.2, -1.6, 0.0, 1.6})
      for (double y : {-3.2, -1.6, 0.0, 1.6})
        for (double z : {-3.2, -1.6, 0.0, 1.6}) {
          const voxelize::Box clip = {{x, y, z}, {x + 1.6, y + 1.6, z + 1.6}};
          const voxelize::Grid grid =
              voxelize::fit_grid(soup.scene, {.voxel_size = kVoxel, .snap = true, .clip = clip});
          ASSERT_EQ(grid.resolution, 16u);
          const Voxels tile = voxels_of(*engine, soup, grid, {});
          EXPECT_EQ(tile, within(whole, grid));
          seen += tile.size();
        }
    EXPECT_EQ(seen, whole.size());
  }
}

TEST(Tiles, OfSolidsAreSolidWhereTheWholeIs) {
  const auto engine = test_engine();
  const voxelize::BuildOptions solid = {.materials = false, .solid = true};
  const Soup soup = bumpy_sphere({0.35, 0.1, -0.2}, 1.3, 12, 0.3, 7);
  const Voxels whole =
      voxels_of(*engine, soup, voxelize::fit_grid(soup.scene, {.voxel_size = kVoxel, .snap = true}), solid);
  for (double x : {-1.6, 0.0}) {
    const voxelize::Box clip = {{x, -1.6, -1.6}, {x + 1.6, 1.6, 1.6}};
    const voxelize::Grid grid =
        voxelize::fit_grid(soup.scene, {.voxel_size = kVoxel, .snap = true, .clip = clip});
    EXPECT_EQ(voxels_of(*engine, soup, grid, solid), within(whole, grid));
  }
}

}  // namespace
}  // namespace vox
