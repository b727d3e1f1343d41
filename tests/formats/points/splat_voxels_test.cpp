// Compares the voxels of splats with a dense evaluation, which knows neither cubes nor a tree.
#include "formats/points/splat_voxels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"
#include "libvox/voxelize/grid.h"
#include "tests/common/random.h"

namespace vox {
namespace {

struct TestSplat {
  CloudPoint point;
  SplatShape shape;
};

PointCloud cloud_of_test_splats(const std::vector<TestSplat>& splats, size_t pieces = 5) {
  PointCloud cloud = {.has_colors = true, .has_shapes = true, .pieces = pieces, .read = {}};
  cloud.read = [splats, pieces](size_t piece) {
    CloudPiece part;
    for (size_t i = splats.size() * piece / pieces; i < splats.size() * (piece + 1) / pieces; ++i) {
      part.points.push_back(splats[i].point);
      part.shapes.push_back(splats[i].shape);
    }
    return part;
  };
  return cloud;
}

// Returns three axes at right angles, of which the first has this direction.
std::array<Vec3d, 3> axes_along(Vec3d first) {
  first = first * (1 / std::sqrt(dot(first, first)));
  Vec3d second = cross(first, std::abs(first.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0});
  second = second * (1 / std::sqrt(dot(second, second)));
  return {first, second, cross(first, second)};
}

// Splats that lie anywhere in a cube of this side, longer in some directions than in others.
std::vector<TestSplat> random_splats(size_t count, double side, double least, double most) {
  Random random(11);
  std::vector<TestSplat> splats;
  for (size_t i = 0; i < count; ++i) {
    const auto size = [&] { return least * std::pow(most / least, random.uniform(0, 1)); };
    const double opacity = random.uniform(0.05, 1);
    splats.push_back({{random.in_cube(0, side), random.below(1 << 24)},
                      {.axes = axes_along(random.in_cube(-1, 1)),
                       .deviations = {size(), size(), size()},
                       .opacity = opacity}});
  }
  return splats;
}

voxelize::Grid unit_grid(uint32_t side) {
  return {.resolution = side, .first_voxel = Vec3d{0, 0, 0}};
}

struct DenseVoxels {
  std::vector<uint8_t> filled;
  std::vector<scene::Rgb8> palette;
  dag::Digest digest;
};

DenseVoxels dense_voxels(const PointCloud& cloud, uint32_t side, const SplatVoxelOptions& options = {}) {
  const dag::VoxelScene scene =
      scene_of_voxels(splat_voxels(cloud, unit_grid(side), options), {.materials = options.materials}, "test")
          .scene;
  dag::verify(scene.dag);
  DenseVoxels dense = {
      .filled = std::vector<uint8_t>(size_t{side} * side * side), .palette = {}, .digest = {}};
  dag::write_dense(scene.dag, cube_at({0, 0, 0}, side), dense.filled.data());
  dense.palette.assign(scene.palette.colors.begin(), scene.palette.colors.end());
  dense.digest = scene.dag.digest;
  return dense;
}

// Returns the opacity at the center of each voxel by the formula, with deviations of at least `least` voxels.
// Splats are added where they count at all in double precision, to all places but those that are 6.5 deviations away.
std::vector<double> dense_opacities(const std::vector<TestSplat>& splats, int32_t side, double least = 0.5) {
  std::vector<double> opacities(static_cast<size_t>(side) * size_t(side) * size_t(side), 1);
  for (const auto& [point, shape] : splats) {
    const auto& [ax, ay, az] = shape.axes;
    const auto size = [&](uint32_t i) { return std::max(shape.deviations[i], least); };
    const double most = 6.5 * std::max({size(0), size(1), size(2)});
    const auto low = [&](double v) { return std::max(0, int32_t(std::floor(std::max(v - most, 0.0)))); };
    const auto high = [&](double v) { return int32_t(std::min(v + most, side - 1.0)); };
    for (int32_t z = low(point.place.z); z <= high(point.place.z); ++z)
      for (int32_t y = low(point.place.y); y <= high(point.place.y); ++y)
        for (int32_t x = low(point.place.x); x <= high(point.place.x); ++x) {
          const Vec3d apart = Vec3d{x + 0.5, y + 0.5, z + 0.5} - point.place;
          const double u = dot(apart, ax) / size(0), v = dot(apart, ay) / size(1),
                       w = dot(apart, az) / size(2);
          opacities[(size_t(z) * size_t(side) + size_t(y)) * size_t(side) + size_t(x)] *=
              1 - shape.opacity * std::exp(-(u * u + v * v + w * w) / 2);
        }
  }
  for (double& opacity : opacities) opacity = 1 - opacity;
  return opacities;
}

struct Agreement {
  uint64_t both = 0, made = 0, expected = 0;
  double recall() const { return double(both) / double(expected); }
  double precision() const { return double(both) / double(made); }
};

Agreement agreement(const std::vector<uint8_t>& filled, const std::vector<double>& opacities, double least) {
  Agreement found;
  for (size_t i = 0; i < filled.size(); ++i) {
    const bool made = filled[i] != 0, expected = opacities[i] >= least;
    found.made += made;
    found.expected += expected;
    found.both += made && expected;
    const bool is_close = std::abs(opacities[i] - least) < 0.03;
    if (is_close || made == expected) continue;
    ADD_FAILURE() << i << ": " << opacities[i];
    break;
  }
  return found;
}

TEST(SplatVoxels, AreThoseOfADenseEvaluation) {
  for (const uint32_t side : {128u, 256u}) {
    if (side > 128 && kThoroughness == 1) break;
    // Their deviations are 0.3 to 3 voxels of 128³.
    const double unit = side / 128.0;
    const std::vector<TestSplat> splats = random_splats(300, side / 5.0, 0.3 * unit, 3 * unit);
    const std::vector<double> opacities = dense_opacities(splats, int32_t(side));
    for (const double least : {0.1, 0.5, 0.8}) {
      const DenseVoxels made = dense_voxels(cloud_of_test_splats(splats), side, {.opacity = least});
      const Agreement found = agreement(made.filled, opacities, least);
      EXPECT_GT(found.expected, 50u);
      EXPECT_GE(found.recall(), 0.99) << side << ", " << least;
      EXPECT_GE(found.precision(), 0.99) << side << ", " << least;
      RecordProperty(fmt::format("recall_{}_{}", side, least), fmt::format("{:.4f}", found.recall()));
      RecordProperty(fmt::format("precision_{}_{}", side, least), fmt::format("{:.4f}", found.precision()));
    }
  }
}

TEST(SplatVoxels, SplatsThatAreWiderThanCubesAndThanTheGridAreThoseOfADenseEvaluation) {
  std::vector<TestSplat> splats = random_splats(12, 190, 15, 300);
  splats.push_back({{{1e6, 1e6, 1e6}, 0x00ff00}, {axes_along({1, 1, 1}), {1e7, 1e6, 1e5}, 0.9}});
  splats.push_back({{{55, -40, 60}, 0x00ffff}, {axes_along({1, 2, 3}), {0, 4000, 1e5}, 1}});
  splats.push_back({{{-1e30, 0, 0}, 0x00ffff}, {axes_along({1, 2, 3}), {1, 1, 1e20}, 1}});
  const std::vector<TestSplat> near(splats.begin(), splats.end() - 1);
  const std::vector<double> opacities = dense_opacities(near, 190);
  for (const double least : {0.2, 0.5, 0.9}) {
    const DenseVoxels made = dense_voxels(cloud_of_test_splats(splats), 190, {.opacity = least});
    const Agreement found = agreement(made.filled, opacities, least);
    EXPECT_GE(found.recall(), 0.97) << least;
    EXPECT_GE(found.precision(), 0.97) << least;
  }
}

TEST(SplatVoxels, VoxelsNeedNotBeCubes) {
  const TestSplat splat = {{{20, 30, 10}, 0x336699}, {axes_along({1, 2, 3}), {4, 4, 4}, 0.9}};
  const voxelize::Grid grid = {.resolution = 48, .voxel_size = {1, 2, 0.5}, .first_voxel = Vec3d{0, 0, 0}};
  const dag::VoxelScene scene =
      scene_of_voxels(splat_voxels(cloud_of_test_splats({splat}), grid, {}), {}, "test").scene;
  std::vector<uint8_t> filled(48 * 48 * 48);
  dag::write_dense(scene.dag, cube_at({0, 0, 0}, 48), filled.data());
  for (size_t i = 0; i < filled.size(); ++i) {
    const size_t x = i % 48, y = i / 48 % 48, z = i / 48 / 48;
    const Vec3d center = {double(x) + 0.5, (double(y) + 0.5) * 2, (double(z) + 0.5) / 2};
    const Vec3d apart = center - splat.point.place;
    const double opacity = 0.9 * std::exp(-dot(apart, apart) / 32);
    EXPECT_TRUE(std::abs(opacity - 0.5) < 1e-4 || (filled[i] > 0) == (opacity > 0.5)) << i;
  }
  EXPECT_GT(scene.dag.voxels, 300u);
}

TEST(SplatVoxels, AHugeSparseGridIsWorkForItsSplatsAlone) {
  // One splat fills as many voxels at each of 200 places that are a whole number of voxels apart.
  std::vector<TestSplat> splats = {{{{7.3, 8.1, 9.7}, 0x336699}, {axes_along({1, 2, 3}), {3, 2, 1}, 0.9}}};
  const auto voxels_in = [&](uint32_t side) {
    const VoxelFile file = splat_voxels(cloud_of_test_splats(splats), unit_grid(side), {});
    return scene_of_voxels(file, {}, "test").scene.dag.voxels;
  };
  const uint64_t one = voxels_in(64);
  for (int i = 1; i < 200; ++i) {
    splats.push_back(splats[0]);
    splats.back().point.place =
        splats[0].point.place + Vec3d{i * 5000.0, (i * 37 % 199) * 5000.0, i * i * 25.0};
  }
  // Splats as large as the grid, which are too faint to fill anything.
  for (int i = 0; i < 20; ++i)
    splats.push_back(
        {{{5e5, i * 4e4, 5e5}, 0xffffff}, {axes_along({1, 0, i + 1.0}), {9e4, 3e5, 1e6}, 0.002}});
  EXPECT_GT(one, 20u);
  EXPECT_NEAR(double(voxels_in(1000000)), 200.0 * double(one), 0.05 * 200 * double(one));
}

TEST(SplatVoxels, AreTheSameForEveryNumberOfThreadsAndInLittleRoom) {
  const uint32_t side = kThoroughness == 1 ? 60 : 100;
  std::vector<TestSplat> splats = random_splats(50 * kThoroughness, side, 0.1, 9);
  const std::vector<TestSplat> wide = random_splats(10, side, 50, 500);
  splats.insert(splats.end(), wide.begin(), wide.end());
  const PointCloud cloud = cloud_of_test_splats(splats);
  const DenseVoxels all = dense_voxels(cloud, side);
  const uint64_t splats_alone = splats.size() * 200;
  for (const size_t threads : {1, 2, 5}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    EXPECT_EQ(dense_voxels(cloud_of_test_splats(splats, threads), side).digest, all.digest);
    EXPECT_EQ(dense_voxels(cloud, side, {.room = splats_alone}).digest, all.digest);
  }
  const DenseVoxels bare = dense_voxels(cloud, side, {.materials = false});
  for (size_t i = 0; i < bare.filled.size(); ++i) ASSERT_EQ(bare.filled[i] > 0, all.filled[i] > 0);
  EXPECT_THROW(dense_voxels(cloud, side, {.room = 1000}), Error);
}

TEST(SplatVoxels, ColorsAreMeansInLinearLightWeightedByOpacity) {
  const auto axes = axes_along({1, 0, 0});
  const std::vector<TestSplat> splats = {{{{10.5, 10.5, 10.5}, 0xff0000}, {axes, {3, 3, 3}, 0.9}},
                                         {{{10.5, 10.5, 10.5}, 0x0000ff}, {axes, {1, 1, 1}, 0.3}}};
  const VoxelFile file = splat_voxels(cloud_of_test_splats(splats), unit_grid(32), {});
  const dag::VoxelScene scene = scene_of_voxels(file, {.colors = true}, "test").scene;
  const auto srgb = [](double linear) {
    return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055);
  };
  std::vector<uint32_t> colors(32 * 32 * 32);
  dag::write_dense_colors(scene.dag, dag::LeafColors(scene), cube_at({0, 0, 0}, 32), colors.data());
  uint64_t filled = 0;
  for (size_t i = 0; i < colors.size(); ++i) {
    if (colors[i] == 0) continue;
    ++filled;
    const size_t x = i % 32, y = i / 32 % 32, z = i / 1024;
    const Vec3d apart = Vec3d{double(x), double(y), double(z)} - Vec3d{10, 10, 10};
    const double square = dot(apart, apart);
    const double red = 0.9 * std::exp(-square / 18), blue = 0.3 * std::exp(-square / 2);
    const scene::Rgb8 color = scene::unpacked_color(colors[i]);
    EXPECT_NEAR(color.r, srgb(red / (red + blue)), 1);
    EXPECT_EQ(color.g, 0);
    EXPECT_NEAR(color.b, srgb(blue / (red + blue)), blue > 0.01 ? 1 : 20);
  }
  EXPECT_EQ(filled, scene.dag.voxels);
  EXPECT_GT(filled, 100u);
}

// Tells if a path through faces of empty voxels leads from the corner of the grid to its middle.
bool leaks(const std::vector<uint8_t>& filled, int32_t side) {
  std::vector<uint8_t> seen = filled;
  std::vector<Int3> next = {{0, 0, 0}};
  const auto at = [&](Int3 p) -> uint8_t& {
    return seen[(size_t(p.z) * size_t(side) + size_t(p.y)) * size_t(side) + size_t(p.x)];
  };
  at(next[0]) = 1;
  while (!next.empty()) {
    const Int3 here = next.back();
    next.pop_back();
    for (uint32_t axis = 0; axis < 3; ++axis)
      for (const int32_t by : {-1, 1}) {
        Int3 there = here;
        there[axis] += by;
        if (there[axis] < 0 || there[axis] >= side || at(there) != 0) continue;
        at(there) = 1;
        next.push_back(there);
      }
  }
  return at({side / 2, side / 2, side / 2}) != 0;
}

TEST(SplatVoxels, ASphereOfFlatSplatsHasAClosedSkin) {
  constexpr int32_t kSide = 200;
  const int kSplats = static_cast<int>(5000 * kThoroughness);
  const double radius = 10 * std::sqrt(static_cast<double>(kSplats) / 500);
  std::vector<TestSplat> splats;
  for (int i = 0; i < kSplats; ++i) {  // on a spiral from pole to pole
    const double z = 1 - (i + 0.5) * 2 / kSplats, angle = i * 2.399963, flat = std::sqrt(1 - z * z);
    const Vec3d out = {flat * std::cos(angle), flat * std::sin(angle), z};
    const double apart = radius * std::sqrt(4 * 3.14159 / kSplats);
    splats.push_back({{out * radius + Vec3d{100, 100, 100}, 0x808080},
                      {axes_along(out), {apart / 50, apart * 0.6, apart * 0.6}, 0.95}});
  }
  const DenseVoxels made = dense_voxels(cloud_of_test_splats(splats), kSide);
  EXPECT_FALSE(leaks(made.filled, kSide));
  EXPECT_TRUE(leaks(std::vector<uint8_t>(made.filled.size()), kSide));
  // It is a skin, not a body.
  const auto filled =
      static_cast<double>(std::ranges::count_if(made.filled, [](uint8_t v) { return v > 0; }));
  EXPECT_LT(filled, 3 * 4 * 3.14159 * radius * radius);
}

// 20,000 splats on a sphere. Without the rule, three with deviations of half the scene fill all 48³ voxels.
TEST(SplatVoxels, OfAFewHugeOnesTheCentersCount) {
  constexpr uint32_t kSide = 48;
  Random random(5);
  std::vector<TestSplat> splats;
  const auto axes = axes_along({1, 2, 3});
  while (splats.size() < 20'000) {
    const Vec3d at = random.in_cube(-1, 1);
    const double length = std::sqrt(dot(at, at));
    if (length < 0.1) continue;
    splats.push_back({{Vec3d{24, 24, 24} + at * (20 / length), 0xff0000}, {axes, {0.4, 0.4, 0.1}, 0.9}});
  }
  const uint64_t small = 20'000;
  const PointCloud sane = cloud_of_test_splats(splats);
  const CloudSurvey before = survey_splats(sane, 0.5);
  EXPECT_EQ(before.oversized, 0u);
  const DenseVoxels skin = dense_voxels(with_small_splats(sane, before), kSide);
  EXPECT_EQ(skin.digest, dense_voxels(sane, kSide).digest);
  for (const double x : {20.2, 24.7, 28.1})
    splats.push_back({{{x, 24.5, 24.5}, 0xff}, {axes, {40, 40, 40}, 0.9}});
  const PointCloud cloud = cloud_of_test_splats(splats);
  const CloudSurvey found = survey_splats(cloud, 0.5);
  EXPECT_EQ(found.oversized, 3u);
  EXPECT_EQ(found.points, small + 3);
  EXPECT_GE(found.least_oversized, 10);
  EXPECT_LE(found.least_oversized, 10 * 1.125);
  const auto filled = [](const DenseVoxels& voxels) {
    return std::ranges::count_if(voxels.filled, [](uint8_t v) { return v > 0; });
  };
  EXPECT_EQ(filled(dense_voxels(cloud, kSide)), kSide * kSide * kSide);
  EXPECT_EQ(filled(dense_voxels(with_small_splats(cloud, found), kSide)), filled(skin) + 3);
  // If 1 % of all splats are as large, they are what the cloud shows.
  splats.resize(99);
  for (const uint32_t i : {0u, 1u, 2u}) splats[i].shape.deviations = {20, 20, 20};
  EXPECT_EQ(survey_splats(cloud_of_test_splats(splats), 0.5).oversized, 0u);
}

TEST(SplatVoxels, ASurveyReachesAsFarAsSplatsFillButNotForAFewHugeOnes) {
  std::vector<TestSplat> splats;
  const auto axes = axes_along({1, 0, 0});
  for (int i = 0; i < 200; ++i) splats.push_back({{{double(i), 0, 0}, 0}, {axes, {1, 1, 1}, 0.9}});
  const double reach = std::sqrt(2 * std::log(0.9 / 0.5));
  CloudSurvey found = survey_splats(cloud_of_test_splats(splats), 0.5);
  EXPECT_EQ(found.points, 200u);
  EXPECT_NEAR(found.box.min.x, -reach, 1e-9);
  EXPECT_NEAR(found.box.max.y, reach, 1e-9);
  splats.push_back({{{100, 0, 0}, 0}, {axes, {5000, 5000, 5000}, 0.9}});  // huge
  splats.push_back({{{100, -700, 0}, 0}, {axes, {1, 1, 1}, 0.1}});        // faint
  splats.push_back({{{std::nan(""), 0, 0}, 0}, {axes, {1, 1, 1}, 0.9}});
  found = survey_splats(cloud_of_test_splats(splats), 0.5);
  EXPECT_EQ(found.points, 202u);
  EXPECT_EQ(found.not_finite, 1u);
  EXPECT_NEAR(found.box.min.x, -reach, 1e-9);
  EXPECT_GT(found.box.min.y, -reach * 1.2);
  EXPECT_NEAR(survey_splats(cloud_of_test_splats({splats[201]}), 0.5).box.min.y, -700, 1e-9);
}

}  // namespace
}  // namespace vox
