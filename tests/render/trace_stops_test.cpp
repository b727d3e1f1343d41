// Tests where rays stop before they reach a voxel's face, namely at nodes no wider than a pixel and at their
// end, and the resulting hit.

#include <gtest/gtest.h>

#include "libvox/base/geometry.h"
#include "libvox/render/beam.h"
#include "tests/common/random.h"
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

// Without boxes of the smallest nodes, rays go down to the voxels instead of stopping there.
TEST(Trace, StopsAtNoNodeWithoutABox) {
  Random random(7);
  for (const uint32_t finest : {4u, 5u}) {
    int levels[7] = {};
    for (const DenseGrid& grid : {DenseGrid(shell), DenseGrid(dust(2)), DenseGrid(blocks)}) {
      const Traced scene(64, grid, finest);
      for (uint32_t i = 0; i < 10 * kThoroughness; ++i) {
        render::Ray ray = random_ray(scene, random);
        ray.pixel_is_voxel = static_cast<int64_t>(random.uniform(1, 64) * 0x1p30);
        const render::Hit hit = scene.trace(ray);
        if (hit.found()) ++levels[hit.log2];
        ASSERT_EQ(hit, scene.dense.trace_cubes(ray, finest));
      }
    }
    for (uint32_t log2 = 0; log2 < std::size(levels); ++log2) {
      const bool possible = log2 == 0 || (log2 >= finest && log2 < 6);
      if (kThoroughness == 10 || !possible) {  // few rays need not meet all levels
        EXPECT_EQ(levels[log2] > 0, possible) << finest << ' ' << log2;
      }
    }
  }
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

// Tests rays that begin in a node that another ray has passed: they must hit the same as from the root.

Vec3d place_in(Int3 voxel, Random& random) {
  const Vec3d corner = {double(voxel.x), double(voxel.y), double(voxel.z)};
  return corner + (random.below(4) == 0 ? Vec3d{1.0 * random.below(2), 1.0 * random.below(2), 0.5}
                                        : random.in_cube(0, 1));
}

Vec3d any_direction(Random& random) {
  const Vec3d direction = random.in_cube(-1, 1);
  return random.below(6) == 0 ? Vec3d{0, direction.y < 0 ? -1.0 : 1.0, 0} : direction;
}

// Returns a ray that is already several voxels wide where it begins.
render::Ray wide_ray(const Traced& scene, Vec3d from, Vec3d direction) {
  const render::Ray ray = scene.ray(from - direction * 60, direction, 0.2);
  return render::begun_later(ray, static_cast<int64_t>(60 * length(direction) / ray.voxels_per_tick));
}

// Compares rays from voxels near the hit of a ray. Returns the number of rays that know a node below the
// root.
int expect_same_from(const Traced& scene, const render::Ray& first, Random& random) {
  const render::RayDagRef dag = scene.dag.ref();
  render::PassedNodes passed;
  const render::Hit hit = render::trace(dag, first, {}, passed);
  EXPECT_EQ(hit, scene.trace(first));
  if (!hit.found()) return 0;
  int below = 0;
  for (int i = 0; i < 6; ++i) {
    const auto off = [&] { return static_cast<int32_t>(random.below(5)) - 2; };
    const Int3 voxel = hit.low + Int3{off(), off(), i < 3 ? 0 : off()};
    const render::StartNode start = render::start_near(dag, passed, hit, voxel);
    below += start.node != nullptr && start.log2 < dag.log2_side;
    const Vec3d from = place_in(voxel, random), direction = any_direction(random);
    const render::Ray next = i % 2 == 0 ? scene.ray(from, direction) : wide_ray(scene, from, direction);
    EXPECT_EQ(render::trace(dag, next, start), scene.trace(next));
  }
  return below;
}

TEST(StartNode, RaysHitTheSameAsFromTheRoot) {
  Random random(17);
  for (const DenseGrid& grid : {DenseGrid(shell), DenseGrid(dust(2)), DenseGrid(blocks), scattered(90)}) {
    const Traced scene(64, grid);
    int below = 0;
    for (int i = 0; i < 200 * static_cast<int>(kThoroughness) && !testing::Test::HasFailure(); ++i) {
      const Vec3d origin = random.in_cube(-100, 164);
      const render::Ray first = scene.ray(origin, random.in_cube(0, 64) - origin, i % 3 * 0.01);
      below += expect_same_from(scene, first, random);
    }
    EXPECT_GT(below, 100);
  }
}

TEST(StartNode, AVoxelOutsideOfTheCubeIsInNoNode) {
  const Traced scene(16, everywhere);
  render::PassedNodes passed;
  const render::RayDagRef dag = scene.dag.ref();
  const render::Hit hit = render::trace(dag, scene.ray({-5, 3, 3}, {1, 0, 0}), {}, passed);
  ASSERT_TRUE(hit.found());
  EXPECT_EQ(render::start_near(dag, passed, hit, {-1, 3, 3}).node, nullptr);
}

// Tests beams: rays that begin where their beam ends must hit the same as rays from the eye, with and without
// level of detail.

constexpr render::ImageSize kBeamSize = {60, 44};  // not a multiple of a tile's size

struct BeamCounts {
  int tiles = 0, later = 0, nothing = 0;
};

// Compares all rays of a picture with and without their beams.
BeamCounts expect_no_difference(const Traced& scene, const render::CameraPose& pose, double spread) {
  const render::RayDagRef dag = scene.dag.ref();
  render::Camera camera = render::make_camera(pose, kBeamSize, scene.log2_side());
  camera.spread *= spread;
  const render::PixelRays rays = render::pixel_rays(camera);
  const render::BeamTiles tiles = {kBeamSize.width, kBeamSize.height};
  BeamCounts counts;
  for (uint32_t tile = 0; tile < tiles.count(); ++tile) {
    const Vec2<uint32_t> place = {tile % tiles.across(), tile / tiles.across()};
    const float depth = render::Beam(dag, rays, place).start();
    ++counts.tiles;
    counts.later += depth > 0 && depth < render::kHitsNothing;
    counts.nothing += depth >= render::kHitsNothing;
    for (uint32_t i = 0; i < 256; ++i) {  // in steps of half a pixel
      const auto at = [](uint32_t tile_at, uint32_t half) {
        return tile_at << (render::kLog2BeamSide + render::kSubpixelBits) |
               half << (render::kSubpixelBits - 1);
      };
      const render::Course course =
          render::make_course(rays.log2_side, rays.direction(at(place.x, i % 16), at(place.y, i / 16)));
      const render::Ray ray = render::make_ray(course, rays.eye, rays.spread);
      const render::Hit hit = scene.trace(ray);
      const bool nothing = depth >= render::kHitsNothing;
      EXPECT_EQ(nothing ? render::Hit() : scene.trace(render::begun_in_beam(ray, course, rays, depth)), hit);
    }
  }
  return counts;
}

TEST(Beam, RaysHitTheSameAsFromTheEye) {
  Random random(11);
  BeamCounts all;
  for (const DenseGrid& grid : {DenseGrid(shell), DenseGrid(dust(2)), DenseGrid(blocks), scattered(900)}) {
    const Traced scene(64, grid);
    for (int i = 0; i < 2 * static_cast<int>(kThoroughness) && !testing::Test::HasFailure(); ++i) {
      const Vec3d eye = i % 4 == 0 ? random.in_cube(0, 64) : random.in_cube(-300, 364);
      const BeamCounts counts =
          expect_no_difference(scene, {eye, random.in_cube(10, 54), i % 3 == 0 ? 120.0 : 20.0}, i % 4);
      all.tiles += counts.tiles;
      all.later += counts.later;
      all.nothing += counts.nothing;
    }
  }
  EXPECT_GT(all.later, all.tiles / 10);
  EXPECT_GT(all.nothing, all.tiles / 20);
}

TEST(Beam, RaysAlongAxesAndFromFarAwayHitTheSame) {
  const Traced scene(64, shell);
  for (const Vec3d eye : {Vec3d{32, 500, 32}, {32.5, 32.5, -200}, {-1e6, 32, 30}, {7e7, 6e7, 5e7}})
    expect_no_difference(scene, {eye, {32, 32, 32}, 0.001 + 3000 / length(eye - Vec3d{32, 32, 32})}, 1);
}

TEST(Beam, InMatterAndInAnEmptyScene) {
  const Traced full(16, everywhere), empty(16, nowhere);
  const render::CameraPose pose = {{8, 8, 8}, {20, 9, 9}, 60};
  EXPECT_EQ(expect_no_difference(full, pose, 1).later, 0);
  const BeamCounts counts = expect_no_difference(empty, pose, 1);
  EXPECT_EQ(counts.nothing, counts.tiles);
}

}  // namespace
}  // namespace vox
