#include "libvox/voxelize/triangles_meet.h"

#include <gtest/gtest.h>

#include "tests/common/random.h"
#include "tests/voxelize/hull.h"

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
