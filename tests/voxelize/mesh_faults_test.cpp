// Compares the faults that are found in a mesh with those that were made, and triangles that cross with all pairs.

#include "libvox/voxelize/mesh_faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/common/random.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

using voxelize::MeshFault;

// True if the segment crosses the triangle, in extended precision (Möller and Trumbore 1997). The corners are small whole numbers, so that
// nothing is rounded but the quotient.
bool crosses_inside(const Corners& t, Vec3d from, Vec3d to) {
  const Vec3d ab = t[1] - t[0], ac = t[2] - t[0], way = to - from, side = cross(way, ac);
  const double det = dot(ab, side);
  if (det == 0) return false;
  const Vec3d start = from - t[0], turn = cross(start, ab);
  double u = dot(start, side), v = dot(way, turn), at = dot(ac, turn);
  if (det < 0) u = -u, v = -v, at = -at;
  const double all = std::abs(det);
  return u > 0 && v > 0 && u + v < all && at > 0 && at < all;
}

Corners corners_of(const scene::Scene& scene, size_t i) {
  const auto& p = scene.triangles[i].position;
  return {scene.positions[p[0]], scene.positions[p[1]], scene.positions[p[2]]};
}

TEST(MeshFaults, TrianglesCrossAsInALoopOverAllPairs) {
  for (uint64_t seed = 1; seed <= 3 * kThoroughness; ++seed) {
    Random random(seed);
    Soup soup;
    // The box has 2^12 steps a side, so that corners keep their places; many lie in one plane or coincide.
    soup.add({Vec3d{0, 0, 0}, {4096, 0, 0}, {0, 4096, 4096}});
    const uint32_t range = seed % 2 == 0 ? 12 : 4000;
    for (int i = 0; i < 150; ++i) {
      Corners corners = {};
      for (Vec3d& corner : corners)
        corner = {1. * random.below(range), 1. * random.below(range), 1. * random.below(range)};
      soup.add(corners);
    }
    std::vector<std::array<uint32_t, 2>> expected;
    for (uint32_t i = 0; i < soup.scene.triangles.size(); ++i)
      for (uint32_t k = i + 1; k < soup.scene.triangles.size(); ++k) {
        const Corners a = corners_of(soup.scene, i), b = corners_of(soup.scene, k);
        bool crosses = false;
        for (size_t c = 0; c < 3; ++c)
          crosses =
              crosses || crosses_inside(a, b[c], b[(c + 1) % 3]) || crosses_inside(b, a[c], a[(c + 1) % 3]);
        if (crosses) expected.push_back({i, k});
      }
    EXPECT_GT(expected.size(), 5u);
    EXPECT_EQ(voxelize::crossing_triangles(soup.scene), expected);
  }
}

TEST(MeshFaults, AreCountedByObjectAndSayWhereTheyAre) {
  Soup soup = bumpy_sphere({30, 30, 30}, 20, 12, 0, 1);
  const voxelize::Grid grid = unit_grid(128);
  soup.scene.materials[0].object = "ball";
  const voxelize::MeshFaults closed = voxelize::find_faults(soup.scene, grid);
  ASSERT_EQ(closed.objects.size(), 1u);
  EXPECT_EQ(closed.objects[0].counts, (std::array<uint64_t, 4>{}));
  EXPECT_EQ(closed.objects[0].triangles, soup.scene.triangles.size());

  std::swap(soup.scene.triangles[40].position[0], soup.scene.triangles[40].position[1]);
  const uint32_t fin = soup.add_material({});
  soup.scene.materials[fin].object = "fin";
  const Corners at = corners_of(soup.scene, 100);
  soup.add({at[0], at[1], at[0] + Vec3d{0, 0, 90}}, fin);
  const voxelize::MeshFaults faults = voxelize::find_faults(soup.scene, grid);
  ASSERT_EQ(faults.objects.size(), 2u);
  const auto &ball = faults.objects[0], &other = faults.objects[1];
  EXPECT_EQ(ball.name, "ball");
  EXPECT_EQ(other.name, "fin");
  // The turned triangle leaves its three edges open, and the fin the edge that it shares.
  const auto count = [](const voxelize::ObjectFaults& object, MeshFault fault) {
    return object.counts[static_cast<size_t>(fault)];
  };
  EXPECT_EQ(count(ball, MeshFault::OpenEdge), 4u);
  EXPECT_EQ(count(ball, MeshFault::NonManifoldEdge), 1u);
  EXPECT_EQ(count(ball, MeshFault::TurnedTriangle), 1u);
  EXPECT_EQ(count(other, MeshFault::OpenEdge), 2u);
  EXPECT_EQ(faults.turned, std::vector<uint32_t>{40});
  const voxelize::FaultPlace& edge = ball.places[static_cast<size_t>(MeshFault::NonManifoldEdge)].at(0);
  EXPECT_LT(length(edge.at - (at[0] + at[1]) * 0.5), 0.01);
}

TEST(MeshFaults, KeepABoundedNumberOfPlacesAndCompleteCounts) {
  Soup soup = bumpy_sphere({30, 30, 30}, 20, 40, 0, 1);
  const uint64_t half = soup.scene.triangles.size();
  for (uint64_t i = 0; i < half; ++i) {
    Corners corners = corners_of(soup.scene, i);
    for (Vec3d& corner : corners) corner.x += 10;
    soup.add(corners);
  }
  const voxelize::MeshFaults faults = voxelize::find_faults(soup.scene, unit_grid(128));
  EXPECT_GT(faults.count(MeshFault::Crossing), 150u);
  EXPECT_EQ(faults.objects[0].places[3].size(), voxelize::ObjectFaults::kMostPlaces);
  for (const voxelize::FaultPlace& place : faults.objects[0].places[3]) {
    EXPECT_NEAR(place.at.x, 35, 3);
    EXPECT_LT(place.triangle, half);
    EXPECT_GE(place.other, half);
  }
}

}  // namespace
}  // namespace vox
