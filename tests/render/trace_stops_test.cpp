// Where rays stop before they are at a voxel's face: at nodes no wider than a pixel, at their end; and what
// they say of it.
#include "tests/render/traced.h"

namespace vox {
namespace {

TEST(Trace, StopsAtTheFirstNodeThatIsNoWiderThanAPixel) {
  Random random(6);
  int levels[7] = {};
  for (const Case& c : cases()) {
    const Traced scene(c.resolution, c.grid);
    for (int i = 0; i < c.rays / 20 + 20; ++i) {
      Ray ray = random_ray(scene, random);
      ray.pixel_is_voxel = static_cast<int64_t>(random.uniform(1, 64) * 0x1p30);
      Hit hit = scene.trace(ray);
      if (hit.found()) ++levels[hit.log2];
      hit.material = 0;
      ASSERT_EQ(hit, scene.dense.trace_cubes(ray));
    }
  }
  for (int level = 0; level < 6; ++level) EXPECT_GT(levels[level], 5) << level;
}

TEST(Trace, ALimitedRayHitsWhatItEntersBeforeItsEnd) {
  Random random(7);
  int hits = 0, beyond = 0;
  for (const DenseGrid& grid : {DenseGrid(dust(2)), DenseGrid(blocks)}) {
    const Traced scene(32, grid);
    for (int i = 0; i < 2000; ++i) {
      const Ray ray = random_ray(scene, random);
      const double length = random.uniform(0, 80);
      const Hit hit = scene.trace(ray), cut = scene.trace(limited(ray, length));
      const bool within = hit.found() && distance_to(ray, hit.at) <= length;
      ASSERT_EQ(cut, within ? hit : Hit());
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
    const Ray ray = scene.ray({-50, 20, 30}, {1, 0.5, -0.25}, spread);
    EXPECT_NEAR(static_cast<double>(ray.pixel_is_voxel) * ray.voxels_per_tick * spread, 1, 1e-6);
  }
  EXPECT_EQ(scene.ray({-50, 20, 30}, {1, 0.5, -0.25}, 0).pixel_is_voxel, INT64_MAX);
}

TEST(Trace, TheMaterialOfANodeIsThatOfItsFirstVoxel) {
  const Traced scene(64, [](uint32_t x, uint32_t y, uint32_t z) {
    return x < 8 ? kEmptyVoxel : static_cast<int>((x / 8 + y / 8 + 2 * (z / 8)) % 16);
  });
  Ray ray = scene.ray({-1, 20.5, 30.5}, {1, 0, 0});
  ray.pixel_is_voxel = 1;
  EXPECT_EQ(scene.trace(ray).log2, 6u);
  EXPECT_EQ(scene.trace(ray).material, 1u);
}

TEST(Trace, TheMaterialOfALeafIsThatOfItsFirstVoxel) {
  const Traced scene(8, [](uint32_t x, uint32_t y, uint32_t z) {
    return x < 4 || y < 4 || z < 4 || x + y + z < 13 ? kEmptyVoxel : static_cast<int>(x);
  });
  for (const int64_t pixel_is_voxel : {1 << 30, 1 << 29}) {  // stops at blocks of 2³, at the leaf of 4³
    Ray ray = scene.ray({9, 7.5, 7.5}, {-1, 0, 0});
    ray.pixel_is_voxel = pixel_is_voxel;
    ray.before = int64_t{1} << 31;
    const Hit hit = scene.trace(ray);
    const int low = pixel_is_voxel == 1 << 30 ? 6 : 4;
    EXPECT_EQ(hit.corner, (Int3{low, low, low}));
    EXPECT_EQ(hit.material, low == 6 ? 6u : 5u);  // (6, 6, 6); (5, 4, 4), before (4, 5, 4)
  }
}

TEST(Trace, ARayThatStandsStillInTheCubeHasComeALongWay) {
  const Traced scene(64, everywhere);
  const double far = 0x1p29, slope = 1e-7;  // 53 voxels
  const Ray ray = scene.ray({40.5 - far * slope, 20.5 + far * slope, -far}, {slope, -slope, 1});
  EXPECT_EQ(scene.trace(ray).corner, (Int3{40, 20, 0}));
  EXPECT_FALSE(scene.trace({40.5, 20.5, -far}, {slope, -slope, 1}).found());
}

// In the largest scenes the integers are largest too.
TEST(Trace, LargeScenesAreExact) {
  for (const uint32_t log2 : {17u, 20u}) {
    const uint32_t side = 1u << log2;
    FrozenDag dag = empty_dag(side, false);  // one voxel, at a corner of the cube or near its middle
    for (const uint32_t at : {0u, side / 3, side - 1}) {
      for (uint32_t level = 0; level < dag.depth(); ++level) {
        const uint32_t bit = at >> (log2 - 1 - level) & 1;
        dag.levels[level].words = {1u << 7 * bit, 0};
      }
      const uint64_t mask = uint64_t{1} << 7 * (at & 1) << 56 * (at >> 1 & 1);
      dag.levels.back().words = {static_cast<uint32_t>(mask), static_cast<uint32_t>(mask >> 32)};
      CpuDevice device(0, false);
      const RayDag<CpuDevice> rays(device, dag);
      const double center = at + 0.5;
      Random random(log2);
      for (int i = 0; i < 2000; ++i) {
        const Vec3d origin = random.in_cube(-4.0 * side, 5.0 * side);
        const Vec3d target = Vec3d{center, center, center} + random.in_cube(-0.6, 0.6);
        const Ray ray = make_ray(log2, origin, target - origin, 0);
        const Int3 voxel = {static_cast<int>(at), static_cast<int>(at), static_cast<int>(at)};
        const DensePass pass(ray, voxel, 0);
        const Hit hit = trace(rays.ref(), ray);
        ASSERT_EQ(hit.found(), pass.passes);
        if (!hit.found()) continue;
        EXPECT_EQ(hit.corner, voxel);
        EXPECT_TRUE(hit.at == pass.in);
      }
    }
  }
}

}  // namespace
}  // namespace vox
