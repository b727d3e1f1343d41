// Compares distances from planes with exact arithmetic.
#include "libvox/voxelize/plane.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/common/random.h"
#include "tests/voxelize/brute_force.h"

namespace vox {
namespace {

using brute::Wide;

int32_t odd(int64_t value) {
  return static_cast<int32_t>(value | 1);
}

int64_t up_to(Random& random, int64_t size) {
  return static_cast<int64_t>(random.uniform(-1, 1) * static_cast<double>(size));
}

Int3 somewhere(Random& random, int64_t size) {
  return {odd(up_to(random, size)), odd(up_to(random, size)), odd(up_to(random, size))};
}

// Returns the point of the triangle's plane with these weights, moved by at most half a voxel along each
// axis.
Int3 near_plane(Random& random, const voxelize::TriangleShape& t) {
  const double u = random.uniform(0, 1), v = random.uniform(0, 1 - u);
  auto at = [&](int32_t a, int32_t b, int32_t c) {
    const double p = a + (static_cast<double>(b) - a) * u + (static_cast<double>(c) - a) * v;
    return static_cast<int32_t>(std::lround(p)) + static_cast<int32_t>(random.below(512)) - 256;
  };
  const Int3 *a = &t.corner[0], *b = &t.corner[1], *c = &t.corner[2];
  return {at(a->x, b->x, c->x), at(a->y, b->y, c->y), at(a->z, b->z, c->z)};
}

TEST(PlaneDistance, IsRightWithinAFewMillionths) {
  Random random(41);
  for (int i = 0; i < 100000; ++i) {
    const auto size = static_cast<int64_t>(std::exp2(random.uniform(2, 29)));
    const voxelize::TriangleShape t = {
        {somewhere(random, size), somewhere(random, size), somewhere(random, size)}, 0};
    const voxelize::TrianglePlane plane = voxelize::plane_of(t);
    const Int3 point = near_plane(random, t);
    auto wide = [](Int3 p) { return brute::Vec3w{p.x, p.y, p.z}; };
    const brute::Vec3w a = wide(t.corner[0]), n = cross(wide(t.corner[1]) - a, wide(t.corner[2]) - a);
    const float actual = voxelize::plane_distance(plane, t, point);
    if (dot(n, n) == 0) {
      EXPECT_GT(actual, 1e30f);
      continue;
    }
    const long double expected = static_cast<long double>(brute::magnitude(dot(n, wide(point) - a))) /
                                 std::sqrt(static_cast<long double>(dot(n, n)));
    ASSERT_NEAR(actual, static_cast<double>(expected), static_cast<double>(expected) * 0x1p-22)
        << "triangle " << i << ", narrow: " << plane.narrow;
  }
}

TEST(PlaneDistance, OfCoplanarTrianglesIsEqual) {
  Random random(42);
  uint32_t wide_planes = 0;
  for (int i = 0; i < 20000; ++i) {
    // Triangles whose corners are at whole multiples of two vectors with even coordinates lie in one plane.
    const auto size = static_cast<int64_t>(std::exp2(random.uniform(1, 26)));
    auto step = [&] {
      return Int3{static_cast<int32_t>(2 * up_to(random, size)),
                  static_cast<int32_t>(2 * up_to(random, size)),
                  static_cast<int32_t>(2 * up_to(random, size))};
    };
    const Int3 origin = somewhere(random, 1 << 20), u = step(), v = step();
    auto corner = [&] {
      return origin + u * static_cast<int32_t>(random.below(3)) + v * static_cast<int32_t>(random.below(3));
    };
    const voxelize::TriangleShape first = {{corner(), corner(), corner()}, 0},
                                  second = {{corner(), corner(), corner()}, 0};
    const voxelize::TrianglePlane plane = voxelize::plane_of(first), other = voxelize::plane_of(second);
    if (plane.scale == 0 || other.scale == 0) continue;
    wide_planes += plane.narrow == 0;
    const Int3 point = near_plane(random, first);
    ASSERT_EQ(voxelize::plane_distance(plane, first, point), voxelize::plane_distance(other, second, point))
        << i;
  }
  EXPECT_GT(wide_planes, 100u);
}

}  // namespace
}  // namespace vox
