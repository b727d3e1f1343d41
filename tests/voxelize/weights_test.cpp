// Compares the point of a triangle that is closest to a voxel's center, and the texture read there, with
// exact arithmetic, from slivers to triangles across the guard band. libvox/voxelize/weights.h states the
// bounds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "libvox/scene/texture.h"
#include "libvox/voxelize/lattice.h"
#include "libvox/voxelize/weights.h"
#include "tests/common/random.h"
#include "tests/voxelize/brute_force.h"

namespace vox {
namespace {

using voxelize::TriangleShape;
using Real = long double;
using Point = Vec3<Real>;

constexpr int32_t kReach = 2 * voxelize::kUnitsPerVoxel;

brute::Vec3w wide(Int3 p) {
  return {p.x, p.y, p.z};
}

Point real(brute::Vec3w p) {
  return {static_cast<Real>(p.x), static_cast<Real>(p.y), static_cast<Real>(p.z)};
}

Real length_of(Point p) {
  return std::sqrt(dot(p, p));
}

// The closest point, relative to corner 0 of the triangle, by exact products.
struct Reference {
  Point closest = {};
  bool inside = false;  // the perpendicular foot lies in the triangle
  Real b = 0, c = 0;    // the weights of the foot if it is inside
  Real longest = 0, height = 0;

  Reference(const TriangleShape& t, Int3 point) {
    const brute::Vec3w a = wide(t.corner[0]), ab = wide(t.corner[1]) - a, ac = wide(t.corner[2]) - a,
                       p = wide(point) - a, n = cross(ab, ac);
    longest = std::sqrt(std::max({squared(ab), squared(ac), squared(ac - ab)}));
    const brute::Wide area = dot(n, n), to_b = dot(n, cross(p, ac)), to_c = dot(n, cross(ab, p));
    height = longest > 0 ? std::sqrt(static_cast<Real>(area)) / longest : 0;
    if (area > 0 && to_b >= 0 && to_c >= 0 && area - to_b - to_c >= 0) {
      inside = true;
      b = static_cast<Real>(to_b) / static_cast<Real>(area);
      c = static_cast<Real>(to_c) / static_cast<Real>(area);
      closest = real(ab) * b + real(ac) * c;
      return;
    }
    Real nearest = HUGE_VALL;
    take_edge({0, 0, 0}, ab, p, nearest);
    take_edge({0, 0, 0}, ac, p, nearest);
    take_edge(ab, ac, p, nearest);
  }

 private:
  static Real squared(brute::Vec3w v) { return static_cast<Real>(dot(v, v)); }

  void take_edge(brute::Vec3w from, brute::Vec3w to, brute::Vec3w p, Real& nearest) {
    const brute::Vec3w edge = to - from;
    const Real along = dot(edge, edge) == 0 ? 0 : static_cast<Real>(dot(edge, p - from)) / squared(edge);
    const Point at = real(from) + real(edge) * std::clamp<Real>(along, 0, 1);
    const Real distance = length_of(at - real(p));
    if (distance < nearest) nearest = distance, closest = at;
  }
};

int32_t odd_between(Random& random, int64_t low, int64_t high) {
  return static_cast<int32_t>(
      (low + static_cast<int64_t>(random.uniform(0, 1) * static_cast<double>(high - low))) | 1);
}

Int3 odd_near(Random& random, Int3 p, int64_t distance) {
  auto near = [&](int32_t at) {
    constexpr int64_t kGuard = (1 << 29) - 1;
    return static_cast<int32_t>(
        std::clamp<int64_t>(odd_between(random, at - distance, at + distance), -kGuard, kGuard));
  };
  return {near(p.x), near(p.y), near(p.z)};
}

// Returns triangles of all sizes up to the guard band: stout ones, needles, slivers, lines and points.
TriangleShape some_triangle(Random& random) {
  const auto size = static_cast<int64_t>(std::exp2(random.uniform(1, 30)));
  TriangleShape t = {};
  t.corner[0] = odd_near(random, {0, 0, 0}, int64_t{1} << 29);
  t.corner[1] = odd_near(random, t.corner[0], size);
  t.corner[2] = odd_near(random, t.corner[0], size);
  const uint32_t kind = random.below(4);
  const auto share = random.uniform(0, 1);
  if (kind == 1)
    t.corner[2] = odd_near(random, t.corner[1], static_cast<int64_t>(std::exp2(random.uniform(1, 12))));
  if (kind == 2) {  // near the edge from 0 to 1
    auto between = [&](int32_t a, int32_t b) {
      return static_cast<int32_t>(a + static_cast<int64_t>(share * (static_cast<double>(b) - a)));
    };
    const Int3 on = {between(t.corner[0].x, t.corner[1].x), between(t.corner[0].y, t.corner[1].y),
                     between(t.corner[0].z, t.corner[1].z)};
    t.corner[2] = odd_near(random, on, static_cast<int64_t>(std::exp2(random.uniform(0, 12))));
  }
  if (kind == 3 && random.below(8) == 0) t.corner[2] = t.corner[random.below(2)];
  return t;
}

// Returns a point within reach of the triangle, often near an edge or a corner.
Int3 some_point(Random& random, const TriangleShape& t) {
  double u = random.uniform(0, 1), v = random.uniform(0, 1);
  if (u + v > 1) u = 1 - u, v = 1 - v;
  const uint32_t kind = random.below(4);
  if (kind == 1) v = 0;
  if (kind == 2) u = 1 - v;
  if (kind == 3) u = random.below(2), v = u > 0 ? 0 : random.below(2);
  auto at = [&](int32_t a, int32_t b, int32_t c) {
    return static_cast<int32_t>(
        std::lround(a + (static_cast<double>(b) - a) * u + (static_cast<double>(c) - a) * v));
  };
  const Int3 *a = &t.corner[0], *b = &t.corner[1], *c = &t.corner[2];
  auto moved = [&](int32_t p) { return p + static_cast<int32_t>(random.below(2 * kReach)) - kReach; };
  return {moved(at(a->x, b->x, c->x)), moved(at(a->y, b->y, c->y)), moved(at(a->z, b->z, c->z))};
}

TEST(Weights, AreThoseOfTheClosestPointWithinTheBoundThatIsStated) {
  Random random(31);
  uint64_t inside = 0, outside = 0, low = 0;
  for (int i = 0; i < 200000; ++i) {
    const TriangleShape t = some_triangle(random);
    const Int3 point = some_point(random, t);
    const Reference expected(t, point);
    const voxelize::TriangleWeights steps = voxelize::weights_of(t);
    const voxelize::Weights w = voxelize::closest_weights(steps, t, point);
    ASSERT_GE(w.x, 0);
    ASSERT_GE(w.y, 0);
    ASSERT_LE(int64_t{w.x} + w.y, voxelize::kWholeWeight);
    const Real b = static_cast<Real>(w.x) * 0x1p-30L, c = static_cast<Real>(w.y) * 0x1p-30L;
    const bool modest = expected.longest < 0x1p26L && expected.longest < 0x1p17L * expected.height;
    const Real bound = modest ? 0x1p-29L : 0x1p-25L;
    const bool counts_as_edge = steps.bits == 0;
    low += counts_as_edge;
    ASSERT_EQ(counts_as_edge, expected.height < 0.5L || expected.height < 0x1p-22L * expected.longest);
    if (expected.inside && !counts_as_edge) {
      ASSERT_LE(std::fabs(b - expected.b), bound) << "triangle " << i;
      ASSERT_LE(std::fabs(c - expected.c), bound) << "triangle " << i;
    }
    (expected.inside ? inside : outside)++;
    const brute::Vec3w a = wide(t.corner[0]);
    const Point actual = real(wide(t.corner[1]) - a) * b + real(wide(t.corner[2]) - a) * c;
    const Real rounding = 4 * bound * expected.longest + 0x1p-20L;
    if (counts_as_edge) {
      const Point p = real(wide(point) - a);
      ASSERT_LE(length_of(actual - p), length_of(expected.closest - p) + expected.height + rounding)
          << "triangle " << i;
    } else {
      ASSERT_LE(length_of(actual - expected.closest), rounding) << "triangle " << i;
    }
  }
  EXPECT_GT(inside, 30000u);
  EXPECT_GT(outside, 40000u);
  EXPECT_GT(low, 1000u);
}

TEST(Weights, OfCornersAreWholeBeyondThem) {
  const TriangleShape t = {{{1, 1, 1}, {2049, 1, 1}, {1, 2049, 1}}, 0};
  const voxelize::TriangleWeights steps = voxelize::weights_of(t);
  EXPECT_EQ(voxelize::closest_weights(steps, t, {-255, -255, 256}), (voxelize::Weights{0, 0}));
  EXPECT_EQ(voxelize::closest_weights(steps, t, {3000, -256, 0}),
            (voxelize::Weights{voxelize::kWholeWeight, 0}));
  EXPECT_EQ(voxelize::closest_weights(steps, t, {-256, 3000, 0}),
            (voxelize::Weights{0, voxelize::kWholeWeight}));
  const voxelize::Weights middle = voxelize::closest_weights(steps, t, {1281, 1281, 9});
  EXPECT_LE(std::abs(middle.x - voxelize::kWholeWeight / 2), 1);
  EXPECT_EQ(middle.x + middle.y, voxelize::kWholeWeight);
}

TEST(TexturePlace, IsNeverTooSmallAndTooLargeBySixSharesAndAFewBillionthsAtMost) {
  Random random(32);
  for (int i = 0; i < 100000; ++i) {
    // The spans range from a hundredth of a texel to an image that repeats a million times.
    const double span = std::exp2(random.uniform(-20, 20)),
                 from = random.uniform(-1, 1) * span * random.below(3);
    voxelize::TriangleShading shading = {};
    for (Vec2f& corner : shading.texcoord)
      corner = {static_cast<float>(from + random.uniform(0, span)),
                static_cast<float>(from + random.uniform(0, span))};
    const auto b = static_cast<int32_t>(random.uniform(0, voxelize::kWholeWeight));
    const auto c = static_cast<int32_t>(random.uniform(0, voxelize::kWholeWeight - b));
    const Vec2<int64_t> shares = voxelize::shares_at(voxelize::place_of(shading), {b, c});
    auto expect = [&](int64_t share, Real at_0, Real at_1, Real at_2) {
      const Real expected = at_0 + ((at_1 - at_0) * b + (at_2 - at_0) * c) * 0x1p-30L;
      const Real extent = std::max(std::fabs(at_1 - at_0), std::fabs(at_2 - at_0));
      const Real above = static_cast<Real>(share) - expected * 0x1p32L;
      ASSERT_GE(above, 0) << "triangle " << i;
      ASSERT_LE(above, 6 + extent * 32) << "triangle " << i;
    };
    const Vec2f* at = shading.texcoord;
    expect(shares.x, at[0].x, at[1].x, at[2].x);
    expect(shares.y, at[0].y, at[1].y, at[2].y);
    if (HasFatalFailure()) return;
  }
}

TEST(TexturePlace, OfCoordinatesWithoutEndIsSomewhere) {
  constexpr float kInfinity = HUGE_VALF, kNone = std::numeric_limits<float>::quiet_NaN();
  for (float strange : {kInfinity, -kInfinity, kNone, 1e30f, -1e30f, 0x1p27f})
    for (float other : {0.0f, strange, -strange, 0.25f}) {
      voxelize::TriangleShading shading = {};
      shading.texcoord[0] = {strange, other};
      shading.texcoord[1] = {other, strange};
      shading.texcoord[2] = {-strange, 0.5f};
      const Vec2<int64_t> shares = voxelize::shares_at(
          voxelize::place_of(shading), {voxelize::kWholeWeight / 2, voxelize::kWholeWeight / 2});
      for (scene::Wrap wrap : {scene::Wrap::Repeat, scene::Wrap::Clamp, scene::Wrap::Mirror}) {
        EXPECT_LT(scene::texel_of_share(shares.x, 7, wrap), 7u);
        EXPECT_LT(scene::texel_of_share(shares.y, 7, wrap), 7u);
      }
    }
}

// Compares distances from planes with exact arithmetic.

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

// Compares computations on sixteen numbers at once with the same computations one by one.

#ifdef VOX_SQUARES
namespace vox {
namespace {

using voxelize::lattice::Squares;

// Returns a number of up to `bits` bits and a sign; small numbers are frequent.
int32_t signed_number(Random& random, uint32_t bits) {
  const auto number = static_cast<int32_t>(random.below(1u << random.below(bits + 1)));
  return random.below(2) == 0 ? number : -number;
}

TEST(Squares, ThoseWithANegativeNumberAreThoseThatALoopFinds) {
  Random random(1);
  for (int round = 0; round < 20000; ++round) {
    // The numbers are as large as those of lines and planes (brute_force.h).
    const int32_t u = signed_number(random, 26), v = signed_number(random, 26);
    const int32_t first = signed_number(random, 30), other = signed_number(random, 30);
    const Squares slope = Squares::slope(u, v);
    uint32_t above = 0, below = 0;
    for (int32_t j = 0; j < 4; ++j)
      for (int32_t i = 0; i < 4; ++i) {
        const int64_t sum = int64_t{u} * i + int64_t{v} * j;
        above |= static_cast<uint32_t>(first + sum < 0) << (i + 4 * j);
        below |= static_cast<uint32_t>(other - sum < 0) << (i + 4 * j);
      }
    ASSERT_EQ((slope + first).negative(), above) << u << " " << v << " " << first;
    ASSERT_EQ(slope.below(other).negative(), below) << u << " " << v << " " << other;
    ASSERT_EQ(((slope + first) | slope.below(other)).negative(), above | below);
  }
}

}  // namespace
}  // namespace vox
#endif
