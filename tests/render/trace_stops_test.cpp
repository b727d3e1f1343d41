// Tests where rays stop before they reach a voxel's face, namely at nodes no wider than a pixel and at their
// end, and the resulting hit.
#include "tests/common/thoroughness.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

TEST(Trace, StopsAtTheBoxAroundWhatTheFirstNodeHoldsThatIsNoWiderThanAPixel) {
  Random random(6);
  int levels[7] = {};
  for (const Case& c : cases()) {
    const Traced scene(c.resolution, c.grid);
    for (int i = 0; i < c.rays * static_cast<int>(kThoroughness) / 200 + 20; ++i) {
      render::Ray ray = random_ray(scene, random);
      ray.pixel_is_voxel = static_cast<int64_t>(random.uniform(1, 64) * 0x1p30);
      if (random.below(4) == 0) ray = render::no_wider(ray, static_cast<float>(random.uniform(1, 500)));
      const render::Hit hit = scene.trace(ray);
      if (hit.found()) ++levels[hit.log2];
      ASSERT_EQ(hit, scene.dense.trace_cubes(ray));
    }
  }
  EXPECT_EQ(levels[1] + levels[6], 0);  // inside a leaf, rays continue down to the voxel
  for (const int level : {0, 2, 3, 4, 5}) EXPECT_GT(levels[level], kThoroughness == 10 ? 2 : 0) << level;
}

// Planes, edges and corners of boxes have the same place on every level.
TEST(Trace, AtWhateverLevelABoxIsHitWhereItIs) {
  const DenseGrid boxes = [](uint32_t x, uint32_t y, uint32_t z) {
    const bool slab = y == 5, post = x >= 19 && x < 22 && z >= 33 && z < 35 && y >= 33;
    return slab ? static_cast<int>((x + z) % 16) : post ? 7 : dag::kEmptyVoxel;
  };
  const Traced scene(64, boxes);
  Random random(8);
  int coarse = 0;
  for (int i = 0; i < 20000; ++i) {
    render::Ray ray = random_ray(scene, random);
    const MaterialHit fine = scene.trace_material(ray);
    ray.pixel_is_voxel = static_cast<int64_t>(random.uniform(5, 32) * 0x1p30);
    const MaterialHit found = scene.trace_material(ray);
    ASSERT_EQ(found.hit.found(), fine.hit.found());
    ASSERT_EQ(found.hit.at, fine.hit.at);
    ASSERT_EQ(found.material, fine.material);
    coarse += found.hit.found() && found.hit.log2 > 0;
  }
  EXPECT_GT(coarse, 3000);
}

TEST(Trace, ALimitedRayHitsWhatItEntersBeforeItsEnd) {
  Random random(7);
  int hits = 0, beyond = 0;
  for (const DenseGrid& grid : {DenseGrid(dust(2)), DenseGrid(blocks)}) {
    const Traced scene(32, grid);
    for (int i = 0; i < 2000; ++i) {
      const render::Ray ray = random_ray(scene, random);
      const double length = random.uniform(0, 80);
      const render::Hit hit = scene.trace(ray),
                        cut = scene.trace(render::limited(ray, static_cast<float>(length)));
      const bool within = hit.found() && render::distance_to(ray, hit.at) <= length;
      ASSERT_EQ(cut, within ? hit : render::Hit());
      hits += within;
      beyond += hit.found() && !within;
    }
  }
  EXPECT_GT(hits, 300);
  EXPECT_GT(beyond, 300);
}

TEST(Trace, ThePixelsWidthGrowsWithTheDistance) {
  const Traced scene(64, everywhere);
  for (const double spread : {0.001, 0.01, 0.1}) {
    const render::Ray ray = scene.ray({-50, 20, 30}, {1, 0.5, -0.25}, spread);
    EXPECT_NEAR(static_cast<double>(ray.pixel_is_voxel) * ray.voxels_per_tick * spread, 1, 1e-6);
  }
  EXPECT_EQ(scene.ray({-50, 20, 30}, {1, 0.5, -0.25}, 0).pixel_is_voxel, INT64_MAX);
}

TEST(Trace, TheMaterialOfANodeIsThatOfTheVoxelOnItsFaceThatIsHit) {
  const DenseGrid slab = [](uint32_t x, uint32_t y, uint32_t z) {
    return x < 8 || x > 50 ? dag::kEmptyVoxel : x == 8 ? 9 : static_cast<int>((y / 8 + 2 * (z / 8)) % 8);
  };
  const Traced scene(64, slab);
  for (const double from : {-1.0, 70.0})
    for (double y = 0.5; y < 64; y += 7) {
      render::Ray ray = scene.ray({from, y, 30.5}, {30 - from, 0, 0});
      ray.pixel_is_voxel = 1;
      const MaterialHit found = scene.trace_material(ray);
      EXPECT_EQ(found.hit.log2, 5u);
      EXPECT_EQ(found.material, from < 0 ? 9 : slab(50, uint32_t(y), 30));
    }
}

// A box around two voxels that is hit where there is no voxel has the material of one of them.
TEST(Trace, WhereNoVoxelIsTheMaterialIsThatOfAnother) {
  const Traced scene(32, [](uint32_t x, uint32_t y, uint32_t z) {
    return x == 1 && y == 2 && z == 3 ? 4 : x == 14 && y == 13 && z == 12 ? 5 : dag::kEmptyVoxel;
  });
  render::Ray ray = scene.ray({-3, 10.5, 4.5}, {1, 0.1, 0.1});
  ray.pixel_is_voxel = 1;
  const MaterialHit found = scene.trace_material(ray);
  EXPECT_EQ(found.hit.low, (Int3{1, 2, 3}));
  EXPECT_EQ(found.hit.high, (Int3{15, 14, 13}));
  EXPECT_TRUE(found.material == 4 || found.material == 5);
}

TEST(Trace, ARayThatStandsStillInTheCubeHasComeALongWay) {
  const Traced scene(64, everywhere);
  const double far = 0x1p29, slope = 1e-7;  // far * slope is 53 voxels
  const render::Ray ray = scene.ray({40.5 - far * slope, 20.5 + far * slope, -far}, {slope, -slope, 1});
  EXPECT_EQ(scene.trace(ray).low, (Int3{40, 20, 0}));
  EXPECT_FALSE(scene.trace({40.5, 20.5, -far}, {slope, -slope, 1}).found());
}

// The largest scenes have the largest integers.
TEST(Trace, LargeScenesAreExact) {
  for (const uint32_t log2 : {17u, 20u}) {
    const uint32_t side = 1u << log2;
    dag::FrozenDag dag =
        dag::empty_dag(side, false);  // one voxel, at a corner of the cube or near its middle
    for (const uint32_t at : {0u, side / 3, side - 1}) {
      for (uint32_t level = 0; level < dag.depth(); ++level) {
        const uint32_t bit = at >> (log2 - 1 - level) & 1;
        dag.levels[level].words = {1u << 7 * bit, 0};
      }
      const uint64_t mask = uint64_t{1} << 7 * (at & 1) << 56 * (at >> 1 & 1);
      dag.levels.back().words = {static_cast<uint32_t>(mask), static_cast<uint32_t>(mask >> 32)};
      dag::place_nodes(dag);
      device::CpuDevice device(0, false);
      const render::RayDag<device::CpuDevice> rays(device, dag);
      const double center = at + 0.5;
      Random random(log2);
      for (int i = 0; i < 2000; ++i) {
        const Vec3d origin = random.in_cube(-4.0 * side, 5.0 * side);
        const Vec3d target = Vec3d{center, center, center} + random.in_cube(-0.6, 0.6);
        const render::Ray ray = render::make_ray(log2, origin, target - origin, 0);
        const Int3 voxel = {static_cast<int>(at), static_cast<int>(at), static_cast<int>(at)};
        const DensePass pass(ray, cube_at(voxel, 1));
        const render::Hit hit = render::trace(rays.ref(), ray);
        ASSERT_EQ(hit.found(), pass.passes);
        if (!hit.found()) continue;
        EXPECT_EQ(hit.low, voxel);
        EXPECT_TRUE(hit.at == pass.in);
      }
    }
  }
}

}  // namespace
}  // namespace vox
