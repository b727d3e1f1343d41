#include "formats/points/point_voxels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "libvox/base/error.h"
#include "libvox/dag/walk.h"
#include "libvox/voxelize/grid.h"
#include "tests/common/random.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

PointCloud cloud_of_points(const std::vector<CloudPoint>& points, size_t pieces = 1) {
  PointCloud cloud;
  cloud.has_colors = true;
  cloud.pieces = pieces;
  cloud.read = [points, pieces](size_t piece) {
    CloudPiece part;
    for (size_t i = piece; i < points.size(); i += pieces) part.points.push_back(points[i]);
    return part;
  };
  return cloud;
}

struct FilledVoxels {
  std::map<std::tuple<int32_t, int32_t, int32_t>, scene::Rgb8> colors;
  dag::Digest digest;
};

FilledVoxels filled_voxels(const PointCloud& cloud, const voxelize::Grid& grid,
                           const PointVoxelOptions& options = {}) {
  const dag::VoxelScene scene =
      scene_of_voxels(point_voxels(cloud, grid, options), {.materials = options.materials}, "test").scene;
  dag::verify(scene.dag);
  const auto side = static_cast<int32_t>(grid.resolution);
  std::vector<uint8_t> values(static_cast<size_t>(side) * grid.resolution * grid.resolution);
  dag::write_dense(scene.dag, cube_at({0, 0, 0}, grid.resolution), values.data());
  FilledVoxels filled;
  filled.digest = scene.dag.digest;
  size_t i = 0;
  for (int32_t z = 0; z < side; ++z)
    for (int32_t y = 0; y < side; ++y)
      for (int32_t x = 0; x < side; ++x)
        if (const uint8_t value = values[i++]; value > 0)
          filled.colors[{x, y, z}] = scene.palette.colors[value - 1u];
  return filled;
}

const voxelize::Grid kUnitGrid = {.resolution = 70, .first_voxel = Vec3d{0, 0, 0}};

std::vector<CloudPoint> random_points(size_t count, double low, double high) {
  Random random(7);
  std::vector<CloudPoint> points;
  for (size_t i = 0; i < count; ++i)
    points.push_back({random.in_cube(low, high), rgb_value({uint8_t(random.below(2) * 255), 0, 9})});
  return points;
}

TEST(PointVoxels, APointFillsTheVoxelInWhichItFalls) {
  const std::vector<CloudPoint> points = random_points(3000, -10, 80);
  std::set<std::tuple<int32_t, int32_t, int32_t>> expected;
  for (const auto& [p, rgb] : points)
    if (std::min({p.x, p.y, p.z}) >= 0 && std::max({p.x, p.y, p.z}) < 70)
      expected.insert({int32_t(p.x), int32_t(p.y), int32_t(p.z)});
  const FilledVoxels filled = filled_voxels(cloud_of_points(points, 7), kUnitGrid);
  EXPECT_EQ(filled.colors.size(), expected.size());
  for (const auto& [voxel, color] : filled.colors) EXPECT_TRUE(expected.contains(voxel));
}

TEST(PointVoxels, ColorsAreAveragedInLinearLight) {
  const FilledVoxels filled = filled_voxels(cloud_of_points({{{1.5, 2.5, 3.5}, 0xff00ff},
                                                             {{1.1, 2.9, 3}, 0x0000ff},
                                                             {{69, 68, 67}, 0x102030},
                                                             {{69, 68, 67}, 0x102030},
                                                             {{69, 68, 67}, 0x102030}},
                                                            2),
                                            kUnitGrid);
  ASSERT_EQ(filled.colors.size(), 2u);
  EXPECT_EQ(filled.colors.at({1, 2, 3}), (scene::Rgb8{188, 0, 255}));
  EXPECT_EQ(filled.colors.at({69, 68, 67}), (scene::Rgb8{0x10, 0x20, 0x30}));
}

TEST(PointVoxels, ARadiusFillsTheVoxelsWhoseCenterIsThatNear) {
  for (const double radius : {0.3, 1.0, 2.5, 30.9}) {
    const std::vector<CloudPoint> points = random_points(radius > 10 ? 1 : 20, -3, 73);
    std::set<std::tuple<int32_t, int32_t, int32_t>> expected;
    for (const auto& [p, rgb] : points) {
      const auto around = static_cast<int32_t>(radius) + 2;
      const Int3 own = {int32_t(std::floor(p.x)), int32_t(std::floor(p.y)), int32_t(std::floor(p.z))};
      // The distance from a voxel's center to the center of the 64th of the voxel that contains the point.
      const auto apart = [](int32_t voxel, double v) {
        return voxel + 0.5 - (std::floor(v * 64) + 0.5) / 64;
      };
      const auto is_inside = [](int32_t v) { return v >= 0 && v < 70; };
      for (int32_t z = own.z - around; z <= own.z + around; ++z)
        for (int32_t y = own.y - around; y <= own.y + around; ++y)
          for (int32_t x = own.x - around; x <= own.x + around; ++x) {
            const double dx = apart(x, p.x), dy = apart(y, p.y), dz = apart(z, p.z);
            if (is_inside(x) && is_inside(y) && is_inside(z) &&
                (Int3{x, y, z} == own || dx * dx + dy * dy + dz * dz <= radius * radius))
              expected.insert({x, y, z});
          }
    }
    const FilledVoxels filled = filled_voxels(cloud_of_points(points, 3), kUnitGrid, {.radius = radius});
    EXPECT_EQ(filled.colors.size(), expected.size()) << radius;
    for (const auto& [voxel, color] : filled.colors) EXPECT_TRUE(expected.contains(voxel));
  }
}

TEST(PointVoxels, ARadiusOfTooManyVoxelsIsAnError) {
  EXPECT_THROW(point_voxels(cloud_of_points({}), kUnitGrid, {.radius = 31.5}), Error);
}

TEST(PointVoxels, AreTheSameInRoomForFewPointsAndWithoutMaterials) {
  const PointCloud cloud = cloud_of_points(random_points(1000, 0, 70), 5);
  const FilledVoxels all = filled_voxels(cloud, kUnitGrid, {.radius = 1.2});
  for (const uint64_t room : {0, 100, 10000}) {
    const FilledVoxels few = filled_voxels(cloud, kUnitGrid, {.radius = 1.2, .room = room});
    EXPECT_EQ(few.digest, all.digest) << room;
    EXPECT_EQ(few.colors, all.colors) << room;
    const FilledVoxels bare =
        filled_voxels(cloud, kUnitGrid, {.radius = 1.2, .materials = false, .room = room});
    EXPECT_EQ(bare.colors.size(), all.colors.size());
  }
}

TEST(PointVoxels, ACubeOfMorePointsThanVoxelsIsAddedUpInPlace) {
  // There are 2^20 + 2^14 points, in 4 voxels of one cube and one voxel of another.
  std::vector<CloudPoint> points;
  for (uint32_t i = 0; i < 1 << 14; ++i)
    points.push_back({{0.5 + i % 4, 5, 5}, i / 4 % 2 == 0 ? 0xffffffu : 0u});
  PointCloud cloud;
  cloud.has_colors = true;
  cloud.pieces = 66;
  cloud.read = [points](size_t piece) {
    return piece == 0 ? CloudPiece{{{{69.5, 0, 0}, 0x123456}}} : CloudPiece{points};
  };
  const FilledVoxels filled = filled_voxels(cloud, kUnitGrid);
  ASSERT_EQ(filled.colors.size(), 5u);
  for (int32_t x = 0; x < 4; ++x) EXPECT_EQ(filled.colors.at({x, 5, 5}), (scene::Rgb8{188, 188, 188}));
  EXPECT_EQ(filled.colors.at({69, 0, 0}), (scene::Rgb8{0x12, 0x34, 0x56}));
  EXPECT_EQ(filled_voxels(cloud, kUnitGrid, {.materials = false}).colors.size(), 5u);
}

TEST(PointVoxels, PointsOnTheFarSideAreInTheGrid) {
  const std::vector<CloudPoint> corners = {{{0.1, 0.1, 0.1}, 0}, {{1.1, 0.7, 0.3}, 0}};
  const PointCloud cloud = cloud_of_points(corners);
  for (const uint32_t resolution : {4u, 7u, 10u, 49u})
    for (const bool center : {false, true}) {
      const voxelize::Grid grid =
          voxelize::fit_box(survey(cloud).box, {.resolution = resolution, .center = center});
      EXPECT_EQ(filled_voxels(cloud, grid).colors.size(), 2u) << resolution;
    }
  EXPECT_EQ(filled_voxels(cloud, voxelize::fit_box(survey(cloud).box, {.voxel_size = 0.1})).colors.size(),
            2u);
}

TEST(PointVoxels, APointOnTheBorderOfTwoSnappedTilesIsInOneOfThem) {
  std::vector<CloudPoint> points;
  for (int i = 0; i <= 40; ++i) points.push_back({{i * 0.1, 0.05, 0.05}, 0});
  const PointCloud cloud = cloud_of_points(points);
  const auto tile = [&](double from, double to) {
    return filled_voxels(
        cloud, voxelize::fit_box(
                   {}, {.voxel_size = 0.1, .snap = true, .clip = voxelize::Box{{from, 0, 0}, {to, 1, 1}}}));
  };
  const size_t all =
      filled_voxels(cloud, voxelize::fit_box(survey(cloud).box, {.voxel_size = 0.1, .snap = true}))
          .colors.size();
  EXPECT_EQ(tile(0, 1.7).colors.size() + tile(1.7, 2.9).colors.size() + tile(2.9, 4.5).colors.size(), all);
}

TEST(PointVoxels, PointsThatChangeBetweenTwoPassesAreAnError) {
  auto pass = std::make_shared<int>(0);
  PointCloud cloud;
  cloud.pieces = 1;
  cloud.read = [pass](size_t) {
    CloudPiece part;
    for (int i = 0; i < 5 + 20 * *pass; ++i) part.points.push_back({{1.0 + 66 * *pass * (i % 2), 1, 1}, 0});
    ++*pass;
    return part;
  };
  const VoxelFile file = point_voxels(cloud, kUnitGrid, {});
  EXPECT_THROW(file.load(0, 1), Error);
}

TEST(PointClouds, ASurveyCountsWhatIsNotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  const CloudSurvey found = survey(cloud_of_points(
      {{{1, -2, 3}, 0}, {{std::nan(""), 0, 0}, 0}, {{0, inf, 0}, 0}, {{0, 0, -inf}, 0}, {{-4, 5, 0}, 0}}, 2));
  EXPECT_EQ(found.not_finite, 3u);
  EXPECT_EQ(found.points, 2u);
  EXPECT_EQ(found.box.min, (Vec3d{-4, -2, 0}));
  EXPECT_EQ(found.box.max, (Vec3d{1, 5, 3}));
}

// Returns the expected radius by comparing every point with all others.
double brute_force_radius(const std::vector<CloudPoint>& points) {
  std::vector<double> eighths;
  for (const CloudPoint& a : points) {
    std::vector<double> distances;
    for (const CloudPoint& b : points) {
      const Vec3d apart = a.place - b.place;
      if (dot(apart, apart) > 0) distances.push_back(std::sqrt(dot(apart, apart)));
    }
    std::ranges::nth_element(distances, distances.begin() + 7);
    eighths.push_back(distances[7]);
  }
  std::ranges::sort(eighths);
  return 1.25 * eighths[eighths.size() * 9 / 10];
}

TEST(PointClouds, TheRadiusBetweenPointsIsThatOfAllPairs) {
  Random random(4);
  std::vector<CloudPoint> wall, volume;
  for (uint32_t i = 0; i < 200 * kThoroughness; ++i) {
    wall.push_back({{random.uniform(0, 10), random.uniform(-3, 3), 5 + random.uniform(0, 0.01)}, 0});
    volume.push_back({random.in_cube(0, 3), 0});
  }
  wall.push_back({{500, 0, 0}, 0});  // far away
  for (const std::vector<CloudPoint>& points : {wall, volume})
    for (const size_t pieces : {1, 7}) {
      const PointCloud cloud = cloud_of_points(points, pieces);
      EXPECT_NEAR(radius_between_points(cloud, survey(cloud)), brute_force_radius(points), 1e-12);
    }
  const PointCloud few = cloud_of_points({{{0, 0, 0}, 0}, {{1, 0, 0}, 0}});
  EXPECT_EQ(radius_between_points(few, survey(few)), 0);
}

TEST(PointClouds, ThereIsNoRadiusBetweenPointsWhoseDistancesHaveNoSquares) {
  for (const double far : {1.7e308, 1e200, 1e-200, 5e-324}) {
    std::vector<CloudPoint> points;
    for (uint32_t i = 0; i < 20; ++i)
      points.push_back({{i % 2 == 0 ? far : -far, far / (1 + i), far / (30 - i)}, 0});
    const PointCloud cloud = cloud_of_points(points);
    EXPECT_EQ(radius_between_points(cloud, survey(cloud)), 0) << far;
  }
}

TEST(PointClouds, AScannedWallHasNoHolesWithTheRadiusBetweenItsPoints) {
  // Points at random on a wall across the grid, about 1.6 voxels apart.
  Random random(9);
  std::vector<CloudPoint> wall;
  const auto add = [&] {
    const double x = random.uniform(0, 70), y = random.uniform(0, 70);
    wall.push_back({{x, y, 20 + 0.4 * x + 0.1 * y}, 0});
  };
  while (wall.size() < 2000) add();
  const PointCloud cloud = cloud_of_points(wall, 3);
  const auto holes = [&](double radius) {
    const FilledVoxels filled = filled_voxels(cloud, kUnitGrid, {.radius = radius});
    int found = 0;
    for (int32_t y = 0; y < 70; ++y)
      for (int32_t x = 0; x < 70; ++x) {
        bool hit = false;
        for (int32_t z = 0; z < 70; ++z) hit |= filled.colors.contains({x, y, z});
        found += !hit;
      }
    return found;
  };
  EXPECT_GT(holes(0), 100);
  EXPECT_EQ(holes(radius_between_points(cloud, survey(cloud))), 0);
}

TEST(PointClouds, SeveralAreOneWithColorsWhereAllHaveThem) {
  PointCloud bare = cloud_of_points(random_points(10, 0, 1), 3);
  const PointCloud colored = bare, up = turned_up(cloud_of_points({{{1, 2, 3}, 7}}), dag::UpAxis::Z);
  bare.has_colors = false;
  const PointCloud all = joined({colored, up, colored});
  EXPECT_TRUE(all.has_colors);
  EXPECT_FALSE(joined({colored, bare}).has_colors);
  EXPECT_EQ(survey(all).points, 21u);
  EXPECT_EQ(all.read(3).points[0].place, (Vec3d{1, 3, -2}));
}

}  // namespace
}  // namespace vox
