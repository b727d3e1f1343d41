#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "libvox/render/ray.h"
#include "libvox/render/trace.h"
#include "tests/common/random.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

Vec3d lattice_point(Random& random, double below) {
  const auto count = static_cast<uint32_t>(below);
  const auto any = [&] { return static_cast<double>(random.below(count)); };
  const double x = any(), y = any();
  return {x, y, any()};
}

// Returns a ray along axes and diagonals, from corner to corner of voxels, nearly all of whose crossings
// coincide in twos or threes.
render::Ray lattice_ray(const Traced& scene, Random& random) {
  const double side = scene.side();
  Vec3d direction = lattice_point(random, 5) - Vec3d{2, 2, 2};
  if (direction == Vec3d{0, 0, 0}) direction.z = -1;
  const Vec3d origin = lattice_point(random, side + 1);
  const double back = random.below(2) ? 0.0 : 100.0;  // exact in doubles, so the ray is the same
  return scene.ray(origin - direction * back, direction);
}

// Returns a ray with few ticks from plane to plane, which no camera would produce.
render::Ray small_ray(const Traced& scene, Random& random) {
  const auto step = [&] { return int64_t{4} * (1 + random.below(6)); };
  render::Ray ray = scene.ray({0, 0, 0}, {1, 1, 1});
  ray.mirrored = random.below(8);
  ray.step = {step(), step(), step()};
  const auto first = [&](int64_t per_plane, uint32_t axis) {
    return render::crossing_at(
        -int64_t{random.below(static_cast<uint32_t>(per_plane / 4) * scene.dense.side())}, axis);
  };
  ray.first = {first(ray.step.x, 0), first(ray.step.y, 1), first(ray.step.z, 2)};
  if (random.below(2)) ray.start = std::max({ray.first.x, ray.first.y, ray.first.z});
  return ray;
}

void expect_all_same(render::Ray make(const Traced&, Random&)) {
  Random random(1);
  int hits = 0, rays = 0;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.resolution);
    const Traced scene(c.resolution, c.grid);
    for (int i = 0; i < c.rays * static_cast<int>(kThoroughness) / 10 && !testing::Test::HasFailure(); ++i)
      hits += scene.expect_same(make(scene, random));
    rays += c.rays * static_cast<int>(kThoroughness) / 10;
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
  EXPECT_FALSE(scene.trace({-1, 8, 4}, {1, 0, 0}).found());  // on the upper face, which is outside
  EXPECT_TRUE(scene.trace({-1, 0, 4}, {1, 0, 0}).found());   // in the lower face
}

TEST(Trace, RaysAlongAxesHitTheFaceThatLooksAtThem) {
  const Traced scene(16, [](uint32_t x, uint32_t y, uint32_t z) {
    return x == 5 && y == 6 && z == 7 ? 9 : dag::kEmptyVoxel;
  });
  const Vec3d middle = {5.5, 6.5, 7.5};
  for (const Int3 d : {Int3{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}) {
    const Vec3d direction = {double(d.x), double(d.y), double(d.z)};
    for (const double back : {3.0, 30.0, 1e6}) {
      const render::Ray ray = scene.ray(middle - direction * back, direction * 0.3);
      const render::Hit hit = scene.trace(ray);
      ASSERT_TRUE(hit.found());
      EXPECT_EQ(hit.low, (Int3{5, 6, 7}));
      EXPECT_EQ(scene.trace_material(ray).material, 9);
      EXPECT_EQ(render::face_normal(ray, hit), d * -1);
      EXPECT_DOUBLE_EQ(distance_along(direction, ray, hit.at), back - 0.5);
      EXPECT_FLOAT_EQ(render::distance_to(ray, hit.at), static_cast<float>(back - 0.5));
    }
  }
}

TEST(Trace, FromInsideMatterTheHitIsAtDistanceZeroWithoutAFace) {
  const Traced scene(32, everywhere);
  for (const Vec3d direction : {Vec3d{1, 0, 0}, {-1, 2, 3}, {-0.1, -0.2, -0.3}}) {
    const render::Ray ray = scene.ray({20.25, 3.5, 9.75}, direction);
    const render::Hit hit = scene.trace(ray);
    ASSERT_TRUE(hit.found());
    EXPECT_EQ(hit.low, (Int3{20, 3, 9}));
    EXPECT_EQ(render::axis_of(hit.at), render::kNoAxis);
    EXPECT_EQ(render::face_normal(ray, hit), (Int3{0, 0, 0}));
    EXPECT_EQ(render::distance_to(ray, hit.at), 0);
  }
}

TEST(Trace, ARayThatLeavesAFaceDoesNotHitItsVoxel) {
  const Traced scene(8, [](uint32_t x, uint32_t y, uint32_t z) {
    return x == 3 && y == 3 && z == 3 ? 1 : dag::kEmptyVoxel;
  });
  EXPECT_FALSE(scene.trace({4, 3.5, 3.5}, {1, 0.2, 0.3}).found());
  EXPECT_FALSE(scene.trace({3, 3.5, 3.5}, {-1, 0.2, 0.3}).found());
  EXPECT_FALSE(scene.trace({3.5, 3.5, 3}, {0.1, 0.2, -1}).found());
  EXPECT_TRUE(scene.trace({3, 3.5, 3.5}, {1, 0.2, 0.3}).found());
  EXPECT_TRUE(scene.trace({4, 3.5, 3.5}, {-1, 0.2, 0.3}).found());
}

TEST(Trace, ARayInAPlaneIsInTheVoxelsAboveIt) {
  const Traced scene(
      8, [](uint32_t x, uint32_t y, uint32_t) { return x == 3 && y == 3 ? 1 : dag::kEmptyVoxel; });
  EXPECT_TRUE(scene.trace({3, -1, 2.5}, {0, 1, 0}).found());
  EXPECT_FALSE(scene.trace({4, -1, 2.5}, {0, 1, 0}).found());
  EXPECT_TRUE(scene.trace({3, 9, 2}, {0, -1, 0}).found());
}

// Compares hits, in floating point, with the requested line, whose ticks the ray must have.
TEST(Trace, HitsLieOnTheLineThatWasAskedFor) {
  Random random(3);
  const Traced scene(64, shell);
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3d origin = random.in_cube(-200, 264), direction = random.in_cube(0, 64) - origin;
    const render::Ray ray = scene.ray(origin, direction);
    const render::Hit hit = scene.trace(ray);
    if (!hit.found()) continue;
    ++hits;
    const Vec3d point =
        origin + direction * (distance_along(direction, ray, hit.at) / std::sqrt(dot(direction, direction)));
    const auto expect_inside = [](double at, int corner) {
      EXPECT_GE(at, corner - 1e-5);
      EXPECT_LE(at, corner + 1 + 1e-5);
    };
    expect_inside(point.x, hit.low.x);
    expect_inside(point.y, hit.low.y);
    expect_inside(point.z, hit.low.z);
  }
  EXPECT_GT(hits, 500);
}

// True if a line passes well inside a voxel, by slabs in floating point.
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
    const render::Ray ray = scene.ray(origin, direction);
    const render::Hit hit = scene.trace(ray);
    const double until = hit.found() ? distance_along(direction, ray, hit.at) - 1e-4 : 1e9;
    for (const DenseScene::Voxel& voxel : scene.dense.voxels())
      ASSERT_FALSE(clearly_passes(origin, direction, voxel.at, until));
  }
}

// Fills voxels that have a corner inside a sphere and another one outside: they leave no 26-connected gaps.
int thick_sphere(uint32_t x, uint32_t y, uint32_t z) {
  int inside = 0;
  for (uint32_t corner = 0; corner < 8; ++corner) {
    const double dx = x + (corner & 1) - 31.7, dy = y + (corner >> 1 & 1) - 32.1,
                 dz = z + (corner >> 2) - 32.4;
    inside += dx * dx + dy * dy + dz * dz < 27.3 * 27.3;
  }
  return inside > 0 && inside < 8 ? 0 : dag::kEmptyVoxel;
}

// Fills voxels inside a sphere that have one of their six neighbors outside: they leave gaps at edges and
// corners, but none at faces.
int thin_sphere(uint32_t x, uint32_t y, uint32_t z) {
  const auto inside = [&](int dx, int dy, int dz) {
    const double px = x + dx - 31.7, py = y + dy - 32.1, pz = z + dz - 32.4;
    return px * px + py * py + pz * pz < 27.3 * 27.3;
  };
  if (!inside(0, 0, 0)) return dag::kEmptyVoxel;
  const bool surrounded = inside(1, 0, 0) && inside(-1, 0, 0) && inside(0, 1, 0) && inside(0, -1, 0) &&
                          inside(0, 0, 1) && inside(0, 0, -1);
  return surrounded ? dag::kEmptyVoxel : 0;
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

// Compares the integers that are derived from directions with exact quotients in 128 bits.

using Wide = unsigned __int128;

TEST(Course, ReciprocalsAreRightToFortyFourBits) {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    uint64_t number = uint64_t{random.below(UINT32_MAX)} << 32 | random.below(UINT32_MAX) | uint64_t{1} << 63;
    if (i < 64) number = uint64_t{1} << 63 | ((uint64_t{1} << i) - 1);
    if (i == 64) number = UINT64_MAX;
    const Wide exact = (Wide{1} << 126) / number;
    const Wide found = render::reciprocal(number);
    const Wide error = found > exact ? found - exact : exact - found;
    ASSERT_LE(error, exact >> 44) << number;
  }
}

TEST(Course, StepsAreThoseOfTheExactDirection) {
  Random random(2);
  const auto part = [&] {
    const auto any = static_cast<int64_t>(uint64_t{random.below(1u << 30)} << 31 | random.below(UINT32_MAX));
    return (any >> random.below(20)) * (random.below(2) ? 1 : -1);
  };
  for (int i = 0; i < 20000; ++i) {
    const uint32_t log2_side = 2 + random.below(19);
    render::FineDirection d = {part(), part(), part()};
    d[random.below(3)] = int64_t{1} << (50 + random.below(11));
    const render::Course course = render::make_course(log2_side, d);
    const auto size = [&](uint32_t axis) { return static_cast<Wide>(d[axis] < 0 ? -d[axis] : d[axis]); };
    const Wide longest = std::max({size(0), size(1), size(2)});
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const Wide slowest = static_cast<Wide>(render::slowest_step(log2_side));
      const Wide exact = size(axis) == 0
                             ? slowest
                             : std::min((longest << render::log2_ticks(log2_side)) / size(axis), slowest);
      const Wide step = static_cast<Wide>(course.step[axis]);
      const Wide error = step > exact ? step - exact : exact - step;
      ASSERT_LE(error, (exact >> 42) + 1);
      if (size(axis) == longest) {
        ASSERT_EQ(step, Wide{1} << render::log2_ticks(log2_side));
      }
      ASSERT_EQ(course.still >> axis & 1, step == slowest ? 1u : 0u);
      ASSERT_EQ(course.mirrored >> axis & 1, d[axis] < 0 ? 1u : 0u);
    }
  }
}

TEST(Course, ProductsAreRoundedDown) {
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    const int64_t number = static_cast<int64_t>(random.below(UINT32_MAX)) * 12345 - (int64_t{1} << 45);
    const int64_t factor = static_cast<int64_t>(random.below(UINT32_MAX)) << random.below(16);
    ASSERT_EQ(render::fine_product(number, factor),
              static_cast<int64_t>((static_cast<__int128>(number) * factor) >> 32));
  }
}

}  // namespace
}  // namespace vox
