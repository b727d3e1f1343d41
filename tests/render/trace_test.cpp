#include "libvox/render/trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "libvox/device/cpu_device.h"
#include "tests/common/random.h"
#include "tests/dag/grids.h"
#include "tests/render/dense_trace.h"

namespace vox {

std::ostream& operator<<(std::ostream& out, const Hit& hit) {
  if (!hit.found()) return out << "nothing";
  return out << "(" << hit.corner.x << ", " << hit.corner.y << ", " << hit.corner.z << ") 2^" << hit.log2
             << " material " << hit.material << " at " << time_of(hit.at) << " axis " << axis_of(hit.at);
}

namespace {

// A scene both ways.
struct Traced {
  CpuDevice device{0, false};
  FrozenDag frozen;
  RayDag<CpuDevice> dag;
  DenseScene dense;

  Traced(uint32_t resolution, const DenseGrid& grid)
      : frozen(dense_dag(resolution, true, grid)), dag(device, frozen), dense(resolution, grid) {}

  uint32_t log2_side() const { return dag.ref().log2_side; }
  double side() const { return dense.side(); }
  Ray ray(Vec3d origin, Vec3d direction, double spread = 0) const {
    return make_ray(log2_side(), origin, direction, spread);
  }
  Hit trace(const Ray& ray) const { return vox::trace(dag.ref(), ray); }
  Hit trace(Vec3d origin, Vec3d direction) const { return trace(ray(origin, direction)); }

  // Returns whether it hit something.
  bool expect_same(const Ray& ray) const {
    const Hit hit = trace(ray);
    EXPECT_EQ(hit, dense.trace(ray));
    return hit.found();
  }
};

Vec3d lattice_point(Random& random, double below) {
  const auto count = static_cast<uint32_t>(below);
  const auto any = [&] { return static_cast<double>(random.below(count)); };
  const double x = any(), y = any();
  return {x, y, any()};
}

// Anywhere, from inside of the cube or from around it, to a point in the cube.
Ray random_ray(const Traced& scene, Random& random) {
  const double side = scene.side();
  const Vec3d origin = random.below(2) ? random.in_cube(0, side) : random.in_cube(-2 * side, 3 * side);
  Vec3d direction = random.in_cube(0, side) - origin;
  if (random.below(8) == 0) direction.x = 0;
  if (random.below(8) == 0) direction.y *= 1e-7;
  return scene.ray(origin, direction);
}

// Along axes and diagonals, from corner to corner of voxels: nearly all of its crossings come two or three at
// a time.
Ray lattice_ray(const Traced& scene, Random& random) {
  const double side = scene.side();
  Vec3d direction = lattice_point(random, 5) - Vec3d{2, 2, 2};
  if (direction == Vec3d{0, 0, 0}) direction.z = -1;
  const Vec3d origin = lattice_point(random, side + 1);
  const double back = random.below(2) ? 0.0 : 100.0;  // exact: the ray is the same
  return scene.ray(origin - direction * back, direction);
}

// Clocks of few ticks, as no eye would make them.
Ray small_ray(const Traced& scene, Random& random) {
  const auto step = [&] { return int64_t{4} * (1 + random.below(6)); };
  Ray ray = scene.ray({0, 0, 0}, {1, 1, 1});
  ray.mirrored = random.below(8);
  ray.step = {step(), step(), step()};
  const auto first = [&](int64_t per_plane, uint32_t axis) {
    return crossing_at(-int64_t{random.below(static_cast<uint32_t>(per_plane / 4) * scene.dense.side())},
                       axis);
  };
  ray.first = {first(ray.step.x, 0), first(ray.step.y, 1), first(ray.step.z, 2)};
  if (random.below(2)) ray.start = std::max({ray.first.x, ray.first.y, ray.first.z});
  return ray;
}

// One voxel in `one_in`.
DenseGrid scattered(uint64_t one_in) {
  return [one_in](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t hash = mix64(x + 1000 * y + 1000000 * z + one_in);
    return hash % one_in == 0 ? static_cast<int>(hash >> 32 & 15) : kEmptyVoxel;
  };
}

struct Case {
  uint32_t resolution;
  DenseGrid grid;
  int rays;
};

std::vector<Case> cases() {
  return {{4, scattered(3), 30000}, {4, scattered(20), 20000},  {8, scattered(8), 20000},
          {8, everywhere, 4000},    {15, scattered(50), 10000}, {16, scattered(4), 4000},
          {32, blocks, 1000},       {32, dust(1), 12000},       {37, checkered, 300},
          {64, shell, 1000},        {64, dust(2), 5000},        {64, blocks, 100}};
}

void expect_all_same(Ray make(const Traced&, Random&)) {
  Random random(1);
  int hits = 0, rays = 0;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.resolution);
    const Traced scene(c.resolution, c.grid);
    for (int i = 0; i < c.rays && !testing::Test::HasFailure(); ++i)
      hits += scene.expect_same(make(scene, random));
    rays += c.rays;
  }
  EXPECT_GT(hits, rays / 8);
  EXPECT_LT(hits, rays * 7 / 8);
}

TEST(Trace, HitsWhatALookAtEveryVoxelFinds) {
  expect_all_same(random_ray);
}
TEST(Trace, HitsTheSameOnRaysThroughEdgesAndCorners) {
  expect_all_same(lattice_ray);
}
TEST(Trace, HitsTheSameWhereManyCrossingsAreSimultaneous) {
  expect_all_same(small_ray);
}

TEST(Trace, AnEmptySceneIsMissed) {
  const Traced scene(64, nowhere);
  EXPECT_FALSE(scene.trace({-1, 3, 5}, {1, 0.1, 0.2}).found());
  EXPECT_FALSE(scene.trace({30, 30, 30}, {1, 0, 0}).found());
}

TEST(Trace, RaysThatPassByOrLeaveTheCubeMiss) {
  const Traced scene(8, everywhere);
  EXPECT_FALSE(scene.trace({-1, 4, 4}, {-1, 0, 0}).found());
  EXPECT_FALSE(scene.trace({9, 4, 4}, {1, 0.3, 0}).found());
  EXPECT_FALSE(scene.trace({-1, 9, 4}, {1, 0, 0}).found());
  EXPECT_FALSE(scene.trace({-1, -0.5, 4}, {1, 0, 0}).found());
  EXPECT_FALSE(scene.trace({-100, -0.5, 4}, {1, 0, 0}).found());
  EXPECT_FALSE(scene.trace({-1, 8, 4}, {1, 0, 0}).found());  // in the upper face: above it
  EXPECT_TRUE(scene.trace({-1, 0, 4}, {1, 0, 0}).found());   // in the lower face
}

TEST(Trace, RaysAlongAxesHitTheFaceThatLooksAtThem) {
  const Traced scene(
      16, [](uint32_t x, uint32_t y, uint32_t z) { return x == 5 && y == 6 && z == 7 ? 9 : kEmptyVoxel; });
  const Vec3d middle = {5.5, 6.5, 7.5};
  for (const Int3 d : {Int3{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}) {
    const Vec3d direction = {double(d.x), double(d.y), double(d.z)};
    for (const double back : {3.0, 30.0, 1e6}) {
      const Ray ray = scene.ray(middle - direction * back, direction * 0.3);
      const Hit hit = scene.trace(ray);
      ASSERT_TRUE(hit.found());
      EXPECT_EQ(hit.corner, (Int3{5, 6, 7}));
      EXPECT_EQ(hit.material, 9u);
      EXPECT_EQ(face_normal(ray, hit), d * -1);
      EXPECT_DOUBLE_EQ(distance_to(ray, hit.at), back - 0.5);
    }
  }
}

TEST(Trace, FromInsideMatterTheHitIsAtDistanceZeroWithoutAFace) {
  const Traced scene(32, everywhere);
  for (const Vec3d direction : {Vec3d{1, 0, 0}, {-1, 2, 3}, {-0.1, -0.2, -0.3}}) {
    const Ray ray = scene.ray({20.25, 3.5, 9.75}, direction);
    const Hit hit = scene.trace(ray);
    ASSERT_TRUE(hit.found());
    EXPECT_EQ(hit.corner, (Int3{20, 3, 9}));
    EXPECT_EQ(axis_of(hit.at), kNoAxis);
    EXPECT_EQ(face_normal(ray, hit), (Int3{0, 0, 0}));
    EXPECT_EQ(distance_to(ray, hit.at), 0);
  }
}

TEST(Trace, ARayThatLeavesAFaceDoesNotHitItsVoxel) {
  const Traced scene(
      8, [](uint32_t x, uint32_t y, uint32_t z) { return x == 3 && y == 3 && z == 3 ? 1 : kEmptyVoxel; });
  EXPECT_FALSE(scene.trace({4, 3.5, 3.5}, {1, 0.2, 0.3}).found());
  EXPECT_FALSE(scene.trace({3, 3.5, 3.5}, {-1, 0.2, 0.3}).found());
  EXPECT_FALSE(scene.trace({3.5, 3.5, 3}, {0.1, 0.2, -1}).found());
  EXPECT_TRUE(scene.trace({3, 3.5, 3.5}, {1, 0.2, 0.3}).found());
  EXPECT_TRUE(scene.trace({4, 3.5, 3.5}, {-1, 0.2, 0.3}).found());
}

TEST(Trace, ARayInAPlaneIsInTheVoxelsAboveIt) {
  const Traced scene(8, [](uint32_t x, uint32_t y, uint32_t) { return x == 3 && y == 3 ? 1 : kEmptyVoxel; });
  EXPECT_TRUE(scene.trace({3, -1, 2.5}, {0, 1, 0}).found());
  EXPECT_FALSE(scene.trace({4, -1, 2.5}, {0, 1, 0}).found());
  EXPECT_TRUE(scene.trace({3, 9, 2}, {0, -1, 0}).found());
}

// The ray as one asks for it, in floating point: that the clocks are those of this line.
TEST(Trace, HitsLieOnTheLineThatWasAskedFor) {
  Random random(3);
  const Traced scene(64, shell);
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3d origin = random.in_cube(-200, 264), direction = random.in_cube(0, 64) - origin;
    const Ray ray = scene.ray(origin, direction);
    const Hit hit = scene.trace(ray);
    if (!hit.found()) continue;
    ++hits;
    const Vec3d point =
        origin + direction * (distance_to(ray, hit.at) / std::sqrt(dot(direction, direction)));
    const auto expect_inside = [](double at, int corner) {
      EXPECT_GE(at, corner - 1e-5);
      EXPECT_LE(at, corner + 1 + 1e-5);
    };
    expect_inside(point.x, hit.corner.x);
    expect_inside(point.y, hit.corner.y);
    expect_inside(point.z, hit.corner.z);
  }
  EXPECT_GT(hits, 500);
}

// Whether a line passes well inside a voxel, by slabs in floating point.
bool clearly_passes(Vec3d origin, Vec3d direction, Int3 voxel, double until) {
  double in = 0, out = until;
  const auto clip = [&](double at, double d, int low) {
    const double a = (low + 1e-4 - at) / d, b = (low + 1 - 1e-4 - at) / d;
    in = std::max(in, std::min(a, b));
    out = std::min(out, std::max(a, b));
  };
  clip(origin.x, direction.x, voxel.x);
  clip(origin.y, direction.y, voxel.y);
  clip(origin.z, direction.z, voxel.z);
  return in < out - 1e-4;
}

TEST(Trace, NothingFilledLiesBeforeAHitOnTheLineThatWasAskedFor) {
  Random random(4);
  const Traced scene(64, dust(2));
  for (int i = 0; i < 4000; ++i) {
    const Vec3d origin = random.in_cube(-200, 264), target = random.in_cube(0, 64);
    const double length = std::sqrt(dot(target - origin, target - origin));
    const Vec3d direction = (target - origin) * (1 / length);
    const Ray ray = scene.ray(origin, direction);
    const Hit hit = scene.trace(ray);
    const double until = hit.found() ? distance_to(ray, hit.at) - 1e-4 : 1e9;
    for (const DenseScene::Voxel& voxel : scene.dense.voxels())
      ASSERT_FALSE(clearly_passes(origin, direction, voxel.at, until));
  }
}

// Voxels that have a corner inside and a corner outside of a sphere: without 26-connected gaps.
int thick_sphere(uint32_t x, uint32_t y, uint32_t z) {
  int inside = 0;
  for (uint32_t corner = 0; corner < 8; ++corner) {
    const double dx = x + (corner & 1) - 31.7, dy = y + (corner >> 1 & 1) - 32.1,
                 dz = z + (corner >> 2) - 32.4;
    inside += dx * dx + dy * dy + dz * dz < 27.3 * 27.3;
  }
  return inside > 0 && inside < 8 ? 0 : kEmptyVoxel;
}

// Voxels inside a sphere with one of their six neighbours outside: gaps at edges and corners, none at faces.
int thin_sphere(uint32_t x, uint32_t y, uint32_t z) {
  const auto inside = [&](int dx, int dy, int dz) {
    const double px = x + dx - 31.7, py = y + dy - 32.1, pz = z + dz - 32.4;
    return px * px + py * py + pz * pz < 27.3 * 27.3;
  };
  if (!inside(0, 0, 0)) return kEmptyVoxel;
  const bool surrounded = inside(1, 0, 0) && inside(-1, 0, 0) && inside(0, 1, 0) && inside(0, -1, 0) &&
                          inside(0, 0, 1) && inside(0, 0, -1);
  return surrounded ? kEmptyVoxel : 0;
}

TEST(Trace, NoRayLeavesAThinClosedSphere) {
  Random random(5);
  for (const DenseGrid& sphere : {DenseGrid(thick_sphere), DenseGrid(thin_sphere)}) {
    const Traced scene(64, sphere);
    for (int i = 0; i < 100000; ++i) {
      const Vec3d from = lattice_point(random, 9) + Vec3d{28, 28, 28};
      const Vec3d direction = i % 2 ? random.in_cube(-1, 1) : lattice_point(random, 7) - Vec3d{3, 3, 3};
      if (direction == Vec3d{0, 0, 0}) continue;
      ASSERT_TRUE(scene.trace(from, direction).found())
          << direction.x << ' ' << direction.y << ' ' << direction.z;
    }
  }
}

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
