// Compares distances in a band with a loop over all triangles, and their signs with winding numbers.

#include "libvox/voxelize/distances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/brute_inside.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

// The distance to a segment.
double to_segment(Vec3d p, Vec3d a, Vec3d b) {
  const Vec3d way = b - a;
  const double along = std::clamp(dot(p - a, way) / dot(way, way), 0., 1.);
  return length(a + way * along - p);
}

// The distance to a triangle: that to its plane if the foot of the perpendicular lies within its edges, else that to the
// nearest edge.
double to_triangle(Vec3d p, const Corners& t) {
  const Vec3d normal = cross(t[1] - t[0], t[2] - t[0]);
  bool is_above = true;
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < 3; ++i) {
    const Vec3d &from = t[i], &to = t[(i + 1) % 3];
    is_above = is_above && dot(cross(to - from, p - from), normal) >= 0;
    nearest = std::min(nearest, to_segment(p, from, to));
  }
  return is_above ? std::abs(dot(p - t[0], normal)) / length(normal) : nearest;
}

template <class Value>
std::vector<Value> values_of(const volume::Volume& volume) {
  std::vector<Value> values(volume.info.box().voxels());
  volume.read(volume.info.box(), reinterpret_cast<std::byte*>(values.data()));
  return values;
}

void expect_distances(const Soup& soup, const voxelize::Grid& grid, double band,
                      std::optional<voxelize::InsideRule> rule, uint32_t samples) {
  voxelize::DistanceOptions options = {.band = band, .inside = rule};
  const voxelize::DistanceField on_host(soup.scene, soup.indexed, grid, options);
  const std::unique_ptr<Engine> engine = test_engine();
  options.device = engine->handle();
  const voxelize::DistanceField field(soup.scene, soup.indexed, grid, options);
  const std::vector<float> distances = values_of<float>(field.distance_volume());
  const std::vector<uint8_t> materials = values_of<uint8_t>(field.material_volume());
  EXPECT_EQ(distances, values_of<float>(on_host.distance_volume()));
  EXPECT_EQ(materials, values_of<uint8_t>(on_host.material_volume()));
  const double side = grid.voxel_size.shortest(), end = band * side;
  EXPECT_DOUBLE_EQ(field.band(), end);
  Random random(3);
  uint32_t near = 0, inside = 0;
  for (uint32_t i = 0; i < samples; ++i) {
    const Int3 voxel = {static_cast<int>(random.below(grid.resolution)),
                        static_cast<int>(random.below(grid.resolution)),
                        static_cast<int>(random.below(grid.resolution))};
    const Vec3d at =
        grid.origin + product({voxel.x + .5, voxel.y + .5, voxel.z + .5}, grid.voxel_size.sides());
    double nearest = std::numeric_limits<double>::infinity();
    std::vector<uint8_t> indices;  // of triangles that are about as near
    for (const scene::Triangle& triangle : soup.scene.triangles) {
      const Corners corners = {soup.scene.positions[triangle.position[0]],
                               soup.scene.positions[triangle.position[1]],
                               soup.scene.positions[triangle.position[2]]};
      const double distance = to_triangle(at, corners);
      if (distance < nearest - 1e-9 * side) indices.clear();
      if (distance < nearest + 1e-9 * side)
        indices.push_back(soup.indexed.materials[triangle.material].index);
      nearest = std::min(nearest, distance);
    }
    const size_t place = static_cast<size_t>(voxel.x) +
                         grid.resolution * (static_cast<size_t>(voxel.y) + grid.resolution * size_t(voxel.z));
    ASSERT_NEAR(std::abs(distances[place]), std::min(nearest, end), 1e-5 * side);
    if (nearest < end - 1e-6 * side) {
      ++near;
      ASSERT_TRUE(std::ranges::find(indices, materials[place] - 1) != indices.end());
    } else if (nearest > end + 1e-6 * side) {
      ASSERT_EQ(materials[place], 0);
    }
    ASSERT_TRUE(rule || distances[place] >= 0);
    // Corners are snapped to 256ths of a voxel to tell what is inside.
    if (!rule || nearest < grid.voxel_size.longest() / 64) continue;
    const double winding = brute::winding_number(soup.scene, at);
    ASSERT_EQ(distances[place]<0, std::abs(winding)> 0.5) << winding;
    inside += distances[place] < 0 ? 1 : 0;
  }
  EXPECT_GT(near, samples / 100);
  EXPECT_TRUE(!rule || inside > samples / 100) << inside;
}

TEST(Distances, AreThoseToTheNearestOfAllTriangles) {
  Soup both = all_of({bumpy_sphere({20, 22, 24}, 17, 10, 0.2, 1), bumpy_sphere({40, 40, 40}, 15, 8, 0, 2)});
  const uint32_t other = both.add_material({.index = 6});
  for (size_t i = 0; i < both.scene.triangles.size(); i += 2) both.scene.triangles[i].material = other;
  const uint32_t samples = 300 * kThoroughness;
  expect_distances(both, unit_grid(61), 3, voxelize::InsideRule::Winding, samples);
  expect_distances(both, unit_grid(61), 10.5, std::nullopt, samples);
  expect_distances(both, {.resolution = 50, .origin = {-3, 2, 5}, .voxel_size = {1.5, 0.8, 1.1}}, 4,
                   voxelize::InsideRule::Winding, samples);
}

TEST(Distances, AreExactForLongTrianglesInManyBricks) {
  Soup soup;
  Random random(9);
  for (int i = 0; i < 30; ++i)
    soup.add({random.in_cube(-50, 200), random.in_cube(-50, 200), random.in_cube(-50, 200)});
  expect_distances(soup, unit_grid(128), 2, std::nullopt, 1000 * kThoroughness);
}

TEST(Distances, BeyondMemoryAreAnError) {
  const Soup ball = bumpy_sphere({500, 500, 500}, 480, 60, 0, 1);
  EXPECT_THROW(voxelize::DistanceField(ball.scene, ball.indexed, unit_grid(1000),
                                       {.band = 60, .memory_limit = 400 << 20}),
               OutOfMemory);
}

}  // namespace
}  // namespace vox
