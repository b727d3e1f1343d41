#include "libvox/render/camera.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "libvox/base/error.h"
#include "libvox/base/length.h"
#include "libvox/dag/walk.h"
#include "tests/dag/grids.h"

namespace vox {
namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;

Vec3d direction(const render::Camera& camera, double x, double y) {
  const Vec3d d = camera.direction(x, y);
  return d * (1 / length(d));
}
void expect_near(Vec3d a, Vec3d b, double error = 1e-12) {
  EXPECT_LT(length(a - b), error) << a.x << ' ' << a.y << ' ' << a.z;
}

TEST(Camera, LooksAtItsTargetWithYUp) {
  const render::Camera camera = render::make_camera({{10, 20, 30}, {10, 20, -50}, 90}, {200, 100}, 6);
  expect_near(direction(camera, 100, 50), {0, 0, -1});
  expect_near(direction(camera, 100, 0), Vec3d{0, 1, -1} * std::sqrt(0.5));
  expect_near(direction(camera, 200, 50), Vec3d{2, 0, -1} * std::sqrt(0.2));
  EXPECT_NEAR(camera.spread, 0.02, 1e-15);
}

TEST(Camera, TheFieldOfViewIsThatOfTheShorterSide) {
  for (const double fov : {0.001, 1.0, 33.3, 60.0, 120.0, 175.0})
    for (const render::ImageSize size : {render::ImageSize{300, 200}, {200, 300}}) {
      const render::Camera camera = render::make_camera({{3, 2, 1}, {-40, 7, 13}, fov}, size, 6);
      const bool wide = size.width > size.height;
      const double x = wide ? 150 : 0, y = wide ? 0 : 150;
      const double cosine = dot(direction(camera, x, y), direction(camera, size.width - x, size.height - y));
      EXPECT_NEAR(std::acos(cosine) / kDegree, fov, 1e-6) << fov;
    }
}

TEST(Camera, StraightDownHasXToTheRight) {
  const render::Camera camera = render::make_camera({{5, 90, 5}, {5, 0, 5}, 40}, {100, 100}, 6);
  EXPECT_GT(camera.right.x, 0);
  EXPECT_GT(camera.down.z, 0);
  EXPECT_EQ(camera.right.z, 0);
}

TEST(Camera, WhatIsUpPointsUpInThePicture) {
  const render::Camera camera = render::make_camera({{1, 2, 3}, {1, 2, -50}, 90, {3, 0, 8}}, {200, 100},
                                                    6);  // x is up, because z is straight ahead
  expect_near(direction(camera, 100, 0), Vec3d{1, 0, -1} * std::sqrt(0.5));
  expect_near(direction(camera, 200, 50), Vec3d{0, -2, -1} * std::sqrt(0.2));
  const render::Camera down = render::make_camera({{90, 5, 5}, {0, 5, 5}, 40, {1, 0, 0}}, {100, 100}, 6);
  expect_near(down.right * (1 / length(down.right)), {0, 0, 1});
}

TEST(Camera, RefusesWhatIsNoCamera) {
  const Vec3d eye = {1, 2, 3}, target = {4, 5, 6};
  EXPECT_THROW(render::make_camera({eye, eye, 40}, {}, 6), Error);
  EXPECT_THROW(render::make_camera({eye, {NAN, 0, 0}, 40}, {}, 6), Error);
  EXPECT_THROW(render::make_camera({{1e30, 0, 0}, target, 40}, {}, 6), Error);
  EXPECT_THROW(render::make_camera({eye, target, 0}, {}, 6), Error);
  EXPECT_THROW(render::make_camera({eye, target, 40, {0, 0, 0}}, {}, 6), Error);
  EXPECT_THROW(render::make_camera({eye, target, 40, {NAN, 0, 0}}, {}, 6), Error);
  EXPECT_THROW(render::make_camera({eye, target, 180}, {}, 6), Error);
  EXPECT_THROW(render::make_camera({eye, target, NAN}, {}, 6), Error);
  EXPECT_THROW(render::make_camera({eye, target, 40}, {0, 100}, 6), Error);
  EXPECT_THROW(render::framing({}, "sideways", 0, 40, {}), Error);
}

// Returns the position of a point in the image, in halves of its width and height: −1 to 1.
Vec2<double> projected(const render::Camera& camera, render::ImageSize size, Vec3d point) {
  const Vec3d forward = camera.direction(size.width * 0.5, size.height * 0.5);
  const Vec3d from_eye = point - camera.eye;
  const double depth = dot(from_eye, forward);
  EXPECT_GT(depth, 0);
  const auto along = [&](Vec3d axis, uint32_t pixels) {
    return dot(from_eye, axis) / dot(axis, axis) / depth / (pixels * 0.5);
  };
  return {along(camera.right, size.width), along(camera.down, size.height)};
}

// Returns the greatest distance of a box's corners from the image's centre; 1 is the image's edge.
double farthest_corner(const render::Camera& camera, render::ImageSize size, const VoxelBox& box) {
  double most = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3d at = {double(corner & 1 ? box.max.x : box.min.x), double(corner & 2 ? box.max.y : box.min.y),
                      double(corner & 4 ? box.max.z : box.min.z)};
    const Vec2<double> p = projected(camera, size, at);
    most = std::max({most, std::fabs(p.x), std::fabs(p.y)});
  }
  return most;
}

TEST(Camera, EveryViewFramesTheBox) {
  const VoxelBox box = {{10, 20, 5}, {60, 40, 120}};
  for (const std::string& view : render::view_names())
    for (const render::ImageSize size : {render::ImageSize{1920, 1080}, {300, 900}})
      for (const double turn : {0.0, 10.0, 350.0, -90.0, 180.0}) {
        const render::Camera camera =
            render::make_camera(render::framing({&box, 1}, view, turn, 35, size), size, 7);
        const double most = farthest_corner(camera, size, box);
        EXPECT_LE(most, 1) << view << ' ' << turn;
        EXPECT_GT(most, 0.85) << view << ' ' << turn;
      }
}

// The scene is as far from the picture's left edge as from its right one, and as far from the upper as from
// the lower.
TEST(Camera, WhatIsFramedIsInTheMiddleOfThePicture) {
  const std::vector<std::vector<VoxelBox>> scenes = {
      {{{10, 20, 5}, {60, 40, 120}}},
      {{{0, 0, 0}, {100, 3, 4}}, {{0, 0, 0}, {3, 90, 4}}, {{96, 0, 0}, {100, 4, 70}}}};
  for (const std::vector<VoxelBox>& boxes : scenes)
    for (const std::string& view : render::view_names())
      for (const render::ImageSize size : {render::ImageSize{1920, 1080}, {300, 900}, {400, 400}}) {
        const render::Camera camera =
            render::make_camera(render::framing(boxes, view, 20, 50, size), size, 7);
        Vec2<double> low = {2, 2}, high = {-2, -2};
        for (const VoxelBox& box : boxes)
          for (int corner = 0; corner < 8; ++corner) {
            const Vec2<double> p = projected(
                camera, size,
                {double(corner & 1 ? box.max.x : box.min.x), double(corner & 2 ? box.max.y : box.min.y),
                 double(corner & 4 ? box.max.z : box.min.z)});
            low = {std::min(low.x, p.x), std::min(low.y, p.y)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y)};
          }
        EXPECT_NEAR(low.x + high.x, 0, 1e-6) << view << ' ' << size.width;
        EXPECT_NEAR(low.y + high.y, 0, 1e-6) << view << ' ' << size.width;
        EXPECT_GT(std::max(high.x, high.y), 0.85) << view;
      }
}

TEST(Camera, ViewsLookFromWhereTheyAreNamedAfter) {
  const VoxelBox box = {{0, 0, 0}, {64, 64, 64}};
  const auto towards = [&](const char* view, double turn) {
    const render::CameraPose pose = render::framing({&box, 1}, view, turn, 40, {});
    return (pose.eye - pose.target) * (1 / length(pose.eye - pose.target));
  };
  expect_near(towards("front", 0), {0, 0, 1});
  expect_near(towards("back", 0), {0, 0, -1});
  expect_near(towards("left", 0), {-1, 0, 0});
  expect_near(towards("right", 0), {1, 0, 0});
  expect_near(towards("top", 0), {0, 1, 0});
  expect_near(towards("bottom", 0), {0, -1, 0});
  expect_near(towards("front", 90), {1, 0, 0});
  for (const double turn : {7.0, 190.0, 720.5})
    expect_near(towards("front", turn), {std::sin(turn * kDegree), 0, std::cos(turn * kDegree)});
}

TEST(Camera, TheOutlineHoldsTheWholeSceneAndLittleElse) {
  for (const DenseGrid& grid : {DenseGrid(shell), DenseGrid(dust(1)), DenseGrid(nowhere)}) {
    const dag::FrozenDag dag = dense_dag(64, true, grid);
    const std::vector<VoxelBox> boxes = render::outline(dag);
    uint64_t voxels = 0, touched = 0;
    for (const VoxelBox& box : boxes) {
      uint64_t filled = 0;
      dag::for_each_leaf(dag, box,
                         [&](Int3, uint64_t mask, const uint32_t*) { filled += uint64_t(popcount(mask)); });
      EXPECT_GT(filled, 0u);
      voxels += filled;
      touched += box.voxels();
    }
    EXPECT_EQ(voxels, dag.voxels);
    EXPECT_LE(touched, boxes.size() * 4 * 4 * 4);
  }
}

TEST(Camera, ATurntableKeepsItsDistanceAndAllOfTheSceneInThePicture) {
  const VoxelBox box = {{10, 20, 5}, {60, 40, 120}};
  const Vec3d middle = {35, 30, 62.5};
  const render::ImageSize size = {300, 200};
  for (const std::string& view : render::view_names()) {
    const std::vector<render::CameraPose> poses = render::turntable({&box, 1}, view, 12, 40, size);
    ASSERT_EQ(poses.size(), 12u);
    double most = 0;
    for (const render::CameraPose& pose : poses) {
      const render::Camera camera = render::make_camera(pose, size, 7);
      EXPECT_NEAR(length(pose.eye - pose.target), length(poses[0].eye - poses[0].target), 1e-9);
      EXPECT_NEAR(projected(camera, size, middle).x, 0, 1e-9) << "what it turns around stays in the middle";
      most = std::max(most, farthest_corner(camera, size, box));
    }
    EXPECT_LE(most, 1) << view;
    EXPECT_GT(most, 0.85) << view;
  }
}

TEST(Camera, AnEmptySceneIsFramedToo) {
  const render::CameraPose pose = render::framing({}, "iso", 0, 40, {});
  EXPECT_NO_THROW(render::make_camera(pose, {}, 2));
}

}  // namespace
}  // namespace vox
