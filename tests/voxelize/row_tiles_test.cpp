// Tests that --solid fills the same voxels whatever the tiles of rows, and in grids of up to 2^20 voxels a side.
#include "libvox/voxelize/row_tiles.h"

#include <gtest/gtest.h>

#include <vector>

#include "libvox/dag/verify.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/voxelize/brute_force.h"
#include "tests/voxelize/brute_inside.h"

namespace vox {
namespace {

using voxelize::BuildOptions;
using voxelize::BuildResult;

void expect_same_in_tiles(const Soup& soup, uint32_t resolution, BuildOptions options) {
  options.solid = true;
  options.inside = mix64(resolution) % 2 == 0 ? kParity : voxelize::InsideRule::Winding;
  const auto engine = test_engine();
  const BuildResult one = build_soup(*engine, soup, resolution, options);
  for (const uint32_t side : {1u, 512u})
    for (const uint64_t pairs : {0u, 9000u}) {
      if (test_on_gpu() && side == 1 && pairs > 0) continue;
      SCOPED_TRACE(testing::Message() << "tiles of " << side << ", chunks of " << pairs);
      options.tile_side = side;
      options.chunk_pairs = pairs;
      const BuildResult result = build_soup(*engine, soup, resolution, options);
      expect_equal(one.dag, result.dag);
      EXPECT_EQ(one.solid.open_rays, result.solid.open_rays);
      EXPECT_EQ(one.solid.disputed_voxels, result.solid.disputed_voxels);
      EXPECT_EQ(one.solid.duplicates, result.solid.duplicates);
      if (side == 1 && !one.dag.empty()) {
        EXPECT_GT(result.chunks, 3u);
      }
    }
}

TEST(RowTiles, OfAnySizeMakeTheSameScene) {
  expect_same_in_tiles(textured_sphere(1030, 10, 12), 1030, {});
  expect_same_in_tiles(bumpy_sphere({600, 550, 500}, 490, 9, 0.1, 13), 1081,
                       {.coverage = scene::Coverage::Thin});
  expect_same_in_tiles(cube(100.2, 1500.9), 1600, {.materials = false});
  expect_same_in_tiles(Soup(), 3000, {});
}

// The surface begins left of the grid, surfaces overlap there, and rays leave the grid inside.
TEST(RowTiles, BeginWithTheCrossingsLeftOfTheGrid) {
  expect_same_in_tiles(bumpy_sphere({100, 550, 550}, 900, 9, 0.1, 16), 1100, {});
  expect_same_in_tiles(bumpy_sphere({550, 550, 550}, 820, 9, 0.1, 17), 1100, {.materials = false});
  // The ball covers few tiles.
  expect_same_in_tiles(bumpy_sphere({-20, 700, 300}, 90, 9, 0.1, 18), 1100, {});
  Soup open = all_of({cube(-100.2, 900.9), bumpy_sphere({0, 400, 400}, 300, 9, 0.1, 19)});
  open.scene.triangles.erase(open.scene.triangles.begin() + 10, open.scene.triangles.begin() + 12);
  expect_same_in_tiles(open, 1024, {});
}

TEST(RowTiles, FillWhatBruteForceFinds) {
  constexpr uint32_t kSide = 290;
  const auto engine = test_engine();
  for (const Soup& soup :
       {bumpy_sphere({120, 260, 250}, 110, 5, 0.3, 20), bumpy_sphere({-5, 250, 262}, 90, 5, 0.2, 21)}) {
    const std::vector<brute::SnappedTriangle> snapped = brute::snap_scene(soup.scene, unit_grid(kSide));
    Dense expected = brute::cover(snapped, kSide, scene::Coverage::Thin);
    const Dense inside = brute::inside(snapped, kSide, expected.side, 0);
    for (size_t i = 0; i < inside.voxels.size(); ++i)
      if (inside.voxels[i] != dag::kEmptyVoxel) expected.voxels[i] = 0;
    const BuildResult result =
        build_soup(*engine, soup, kSide,
                   {.coverage = scene::Coverage::Thin, .materials = false, .solid = true, .tile_side = 256});
    EXPECT_TRUE(brute::same_coverage(expected, to_dense(result.dag), snapped, kSide));
  }
}

// The box [low, high].
Soup box(Vec3d low, Vec3d high) {
  Soup soup = cube(0, 1);
  for (Vec3d& p : soup.scene.positions)
    p = {low.x + p.x * (high.x - low.x), low.y + p.y * (high.y - low.y), low.z + p.z * (high.z - low.z)};
  return soup;
}

// The boxes cross many tiles, fill chunk cells that no triangle meets, and reach the grid's last voxel.
TEST(RowTiles, LargeGridsAreFilled) {
  struct Case {
    uint32_t resolution;
    Vec3d low, high;
    uint64_t voxels;
  };
  for (const Case& c : std::vector<Case>{
           {100'000, {60'000.5, 40'000.5, 90'000.5}, {61'000.5, 41'000.5, 91'000.5}, 1001ull * 1001 * 1001},
           {1 << 18, {7.5, 262'000.5, 9.5}, {17.5, 262'143.5, 200'017.5}, 11ull * 144 * 200'009},
           {1 << 20, {1'047'555.5, 3.5, 5.5}, {1'048'575.5, 13.5, 1'024.5}, 1021ull * 11 * 1020},
           {1 << 20, {1000.5, 1000.5, 1000.5}, {2100.5, 3100.5, 3200.5}, 1101ull * 2101 * 2201}}) {
    SCOPED_TRACE(c.resolution);
    const auto engine = test_engine();
    const Soup soup = box(c.low, c.high);
    const BuildResult result =
        build_soup(*engine, soup, c.resolution, {.materials = false, .solid = true, .inside = kParity});
    EXPECT_EQ(result.dag.voxels, c.voxels);
    EXPECT_EQ(result.solid.open_rays, 0u);
    EXPECT_NO_THROW(dag::verify(result.dag));
    const BuildResult tiled =
        build_soup(*engine, soup, c.resolution,
                   {.materials = false, .solid = true, .inside = kParity, .tile_side = 1024});
    expect_equal(result.dag, tiled.dag);
  }
}

// A grid whose rows would take 16 GiB is filled with little memory.
TEST(RowTiles, TakeASmallPartOfTheMemory) {
  const auto engine = test_engine({.memory_limit = uint64_t{4} << 30});
  const BuildResult result =
      build_soup(*engine, cube(130'000.5, 130'100.5), 1 << 17, {.solid = true, .inside = kParity});
  EXPECT_EQ(result.dag.voxels, 101u * 101u * 101u);
  EXPECT_LT(result.peak_device_bytes, uint64_t{1} << 30);
}

}  // namespace
}  // namespace vox
