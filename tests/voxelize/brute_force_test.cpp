// Tests the brute force itself with cases worked out by hand and with a second exact method.

#include <gtest/gtest.h>

#include "libvox/voxelize/triangles_meet.h"
#include "tests/common/random.h"
#include "tests/voxelize/brute_force.h"

namespace vox::brute {
namespace {

SnappedTriangle triangle(Vec3w a, Vec3w b, Vec3w c) {
  return {{a, b, c}, cross(b - a, c - a)};
}

// The half of the triangle's plane where a · s + b · t <= c for the point v0 + s (v1 - v0) + t (v2 - v0).
struct HalfPlane {
  Wide a, b, c;
};

HalfPlane half_plane(const SnappedTriangle& t, Vec3w direction, Wide limit) {
  return {dot(direction, t.v[1] - t.v[0]), dot(direction, t.v[2] - t.v[0]), limit - dot(direction, t.v[0])};
}

// True if the triangle meets the convex body. Their intersection is a polygon in (s, t), so unless it is
// empty, one of its corners is an intersection of two of the lines.
bool meets(const SnappedTriangle& t, const std::vector<std::pair<Vec3w, Wide>>& body) {
  std::vector<HalfPlane> planes = {{-1, 0, 0}, {0, -1, 0}, {1, 1, 1}};
  for (auto [direction, limit] : body) planes.push_back(half_plane(t, direction, limit));
  for (size_t i = 0; i < planes.size(); ++i)
    for (size_t j = i + 1; j < planes.size(); ++j) {
      const HalfPlane &p = planes[i], &q = planes[j];
      Wide scale = p.a * q.b - q.a * p.b;
      if (scale == 0) continue;
      Wide sign = scale < 0 ? -1 : 1;
      Wide s = sign * (p.c * q.b - q.c * p.b), r = sign * (p.a * q.c - q.a * p.c);
      if (std::ranges::all_of(planes, [&](HalfPlane h) { return h.a * s + h.b * r <= h.c * sign * scale; }))
        return true;
    }
  return false;
}

bool meets_cube(const SnappedTriangle& t, Int3 voxel) {
  std::vector<std::pair<Vec3w, Wide>> faces;
  for (Vec3w axis : kAxes) {
    Wide middle = dot(axis, center_of(voxel));
    faces.push_back({axis, middle + kHalf});
    faces.push_back({axis * -1, kHalf - middle});
  }
  return meets(t, faces);
}

// True if the triangle meets the octahedron whose corners are the centers of the voxel's faces; it then cuts
// a 6-connected path.
bool meets_octahedron(const SnappedTriangle& t, Int3 voxel) {
  std::vector<std::pair<Vec3w, Wide>> faces;
  for (int signs = 0; signs < 8; ++signs) {
    Vec3w direction = {signs & 1 ? 1 : -1, signs & 2 ? 1 : -1, signs & 4 ? 1 : -1};
    faces.push_back({direction, dot(direction, center_of(voxel)) + kHalf});
  }
  return meets(t, faces);
}

// Returns a triangle with odd coordinates near the voxel (0, 0, 0); some have no area, some are parallel to
// an axis.
SnappedTriangle random_triangle(Random& random) {
  auto reach = static_cast<double>(8u << random.below(9));
  auto coordinate = [&] { return 2 * static_cast<int64_t>(std::floor(random.uniform(-reach, reach))) + 257; };
  std::array<Vec3w, 3> v;
  for (Vec3w& p : v) p = {coordinate(), coordinate(), coordinate()};
  if (random.below(4) == 0) v[1].x = v[2].x = v[0].x;
  if (random.below(4) == 0) v[1].y = v[0].y;
  if (random.below(8) == 0) v[2] = v[0] + (v[1] - v[0]) * 2;
  if (random.below(16) == 0) v[1] = v[0];
  return triangle(v[0], v[1], v[2]);
}

TEST(BruteForce, SnapsToOddHalfStepsAndFarFacesInward) {
  EXPECT_EQ(snap(0, 8), 1);
  EXPECT_EQ(snap(1, 8), 513);
  EXPECT_EQ(snap(1 - 1e-9, 8), 511);
  EXPECT_EQ(snap(8, 8), 8 * 512 - 1);
  EXPECT_EQ(snap(8 + 1.0 / 256, 8), 8 * 512 - 1);
  EXPECT_EQ(snap(8 + 1.5 / 256, 8), 8 * 512 + 3);
  EXPECT_EQ(snap(-1.0 / 256, 8), 1);
  EXPECT_EQ(snap(-1.5 / 256, 8), -3);
  EXPECT_EQ(snap(-2, 8), -1023);
}

TEST(BruteForce, KnownTrianglesTouchKnownCubes) {
  // The plane x + y + z = 3 · 512 + 3 just misses the far corner of the voxel (0, 0, 0).
  SnappedTriangle beyond = triangle({1539 - 2, 1, 1}, {1, 1539 - 2, 1}, {1, 1, 1539 - 2});
  EXPECT_FALSE(touches_cube(beyond, {0, 0, 0}));
  EXPECT_TRUE(touches_cube(beyond, {1, 0, 0}));
  SnappedTriangle before = triangle({1533, 1, 1}, {1, 1533, 1}, {1, 1, 1533});
  EXPECT_TRUE(touches_cube(before, {0, 0, 0}));
  EXPECT_FALSE(covers(before, {0, 0, 0}, scene::Coverage::Thin));
  // A wall in the first layer, x = 257, fills this layer and no other.
  SnappedTriangle wall = triangle({257, -5001, -5001}, {257, 5001, -5001}, {257, -5001, 5001});
  for (scene::Coverage coverage : {scene::Coverage::Conservative, scene::Coverage::Thin}) {
    EXPECT_TRUE(covers(wall, {0, 0, -1}, coverage));
    EXPECT_FALSE(covers(wall, {1, 0, -1}, coverage));
    EXPECT_FALSE(covers(wall, {-1, 0, -1}, coverage));
  }
}

TEST(BruteForce, TouchingIsDecidedAlikeByThreeExactMethods) {
  Random random(1);
  int touched = 0;
  for (int i = 0; i < 30000; ++i) {
    SnappedTriangle t = random_triangle(random);
    bool touches = touches_cube(t, {0, 0, 0});
    ASSERT_EQ(touches, meets_cube(t, {0, 0, 0})) << "triangle " << i;
    ASSERT_EQ(touches, covers(t, {0, 0, 0}, Reach::Sum)) << "triangle " << i;
    touched += touches;
  }
  EXPECT_GT(touched, 5000);
  EXPECT_LT(touched, 25000);
}

TEST(BruteForce, ThinLiesBetweenTheOctahedronAndTheCube) {
  Random random(2);
  int inner = 0, thin = 0, outer = 0;
  for (int i = 0; i < 20000; ++i) {
    SnappedTriangle t = random_triangle(random);
    bool octahedron = meets_octahedron(t, {0, 0, 0}), covered = covers(t, {0, 0, 0}, scene::Coverage::Thin);
    bool touches = touches_cube(t, {0, 0, 0});
    ASSERT_LE(octahedron, covered) << "triangle " << i;
    ASSERT_LE(covered, touches) << "triangle " << i;
    inner += octahedron, thin += covered, outer += touches;
  }
  EXPECT_LT(inner, thin);
  EXPECT_LT(thin, outer);
}

}  // namespace
}  // namespace vox::brute

namespace vox {
namespace {

using voxelize::TriangleShape;

TriangleShape random_triangle(Random& random, uint32_t range) {
  TriangleShape triangle = {};
  for (Int3& corner : triangle.corner) {
    const auto at = [&] { return static_cast<int32_t>(random.below(range)); };
    corner.x = at();
    corner.y = at();
    corner.z = at();
  }
  return triangle;
}

brute::TriangleCorners corners_of(const TriangleShape& triangle) {
  brute::TriangleCorners corners;
  for (size_t i = 0; i < 3; ++i)
    corners[i] = {triangle.corner[i].x, triangle.corner[i].y, triangle.corner[i].z};
  return corners;
}

// Counts pairs that meet, and compares each with the slow test.
uint32_t meeting_of(uint32_t pairs, uint32_t range, uint64_t seed) {
  Random random(seed);
  uint32_t meeting = 0;
  for (uint32_t i = 0; i < pairs; ++i) {
    const TriangleShape one = random_triangle(random, range), other = random_triangle(random, range);
    const bool meet = voxelize::triangles_meet(one, other);
    EXPECT_EQ(meet, brute::triangles_meet(corners_of(one), corners_of(other))) << i << ", range " << range;
    EXPECT_EQ(meet, voxelize::triangles_meet(other, one)) << i << ", range " << range;
    meeting += meet;
  }
  return meeting;
}

// On a lattice of two or three places along each axis, most triangles touch, share a plane or a line, or have
// no area.
TEST(TrianglesMeet, IsExactWhereCornersCoincideAndPlanesAreShared) {
  EXPECT_GT(meeting_of(3000, 2, 1), 1000u);
  EXPECT_GT(meeting_of(3000, 3, 2), 1000u);
  EXPECT_GT(meeting_of(2000, 5, 3), 200u);
}

TEST(TrianglesMeet, IsExactForTrianglesAsLargeAsTheGrid) {
  EXPECT_GT(meeting_of(1500, voxelize::kMostMeetingResolution * voxelize::kUnitsPerVoxel, 4), 100u);
}

TEST(TrianglesMeet, TellsTrianglesOfOnePlaneApart) {
  const TriangleShape large = {{{1, 1, 5}, {99, 1, 5}, {1, 99, 5}}, 0};
  const TriangleShape inside = {{{11, 11, 5}, {21, 11, 5}, {11, 21, 5}}, 0};
  const TriangleShape beside = {{{61, 61, 5}, {71, 61, 5}, {61, 71, 5}}, 0};
  const TriangleShape above = {{{11, 11, 7}, {21, 11, 7}, {11, 21, 7}}, 0};
  EXPECT_TRUE(voxelize::triangles_meet(large, inside));
  EXPECT_FALSE(voxelize::triangles_meet(large, beside));
  EXPECT_FALSE(voxelize::triangles_meet(large, above));
}

}  // namespace
}  // namespace vox
