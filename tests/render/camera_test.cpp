#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "libvox/base/error.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/walk.h"
#include "libvox/render/camera.h"
#include "tests/dag/dense_dag.h"

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

// Returns the greatest distance of a box's corners from the image's center; 1 is the image's edge.
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

using render::CameraKey;

std::vector<CameraKey> keys() {
  return {{{0, 0, 0}, {0, 0, -1}, 40, 1},
          {{4, 0, 2}, {1, 0, -1}, 50, 2},
          {{5, 3, 2}, {1, 1, -1}, {}, 4},
          {{9, 3, 0}, {0, 0, 0}, 20, 4.5}};
}

TEST(CameraPath, WithoutTimesHasAPictureForEachRow) {
  const std::vector<CameraKey> pictures = render::pictures_of({keys(), false}, 30);
  ASSERT_EQ(pictures.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(pictures[i].eye, keys()[i].eye);
}

TEST(CameraPath, WithTimesGoesThroughItsRowsAtThem) {
  const std::vector<CameraKey> pictures = render::pictures_of({keys(), true}, 10);
  ASSERT_EQ(pictures.size(), 36u);  // from 1 to 4.5 s
  for (const CameraKey& key : keys()) {
    const CameraKey& met = pictures[static_cast<size_t>((key.time - 1) * 10 + 0.5)];
    EXPECT_LT(length(met.eye - key.eye), 1e-9);
    EXPECT_LT(length(met.target - key.target), 1e-9);
    if (key.fov && key.time < 4) {
      EXPECT_NEAR(*met.fov, *key.fov, 1e-9);
    }
  }
}

// If the keys lie on a parabola, the cubics are that parabola, because the speed at inner keys is found
// exactly.
TEST(CameraPath, BetweenItsRowsItIsSmooth) {
  const auto on_parabola = [](double t) { return Vec3d{3 * t - t * t, 2 * t, t * t}; };
  std::vector<CameraKey> list;
  for (const double t : {0.0, 1.0, 1.5, 3.0, 4.0}) list.push_back({on_parabola(t), {100, 0, 0}, {}, t});
  const std::vector<CameraKey> pictures = render::pictures_of({list, true}, 20);
  ASSERT_EQ(pictures.size(), 81u);
  for (size_t i = 20; i <= 60; ++i)
    EXPECT_LT(length(pictures[i].eye - on_parabola(static_cast<double>(i) / 20)), 1e-9) << i;
  for (size_t i = 2; i < pictures.size(); ++i) {  // there is no sudden change of speed
    const Vec3d before = pictures[i - 1].eye - pictures[i - 2].eye,
                after = pictures[i].eye - pictures[i - 1].eye;
    EXPECT_LT(length(after - before), 0.05) << i;
  }
}

TEST(CameraPath, WhatIsUpTurnsEvenly) {
  std::vector<CameraKey> list = keys();
  list[0].up = {0, 1, 0};
  list[1].up = {1, 1, 0};
  const std::vector<CameraKey> pictures = render::pictures_of({list, true}, 4);
  EXPECT_EQ(pictures.at(1).up, (Vec3d{0.25, 1, 0}));
  EXPECT_EQ(pictures.at(4).up, (Vec3d{1, 1, 0}));
  EXPECT_FALSE(pictures.back().up);
}

TEST(CameraPath, WhatTurnsOverNeedsToSayByWhichSide) {
  std::vector<CameraKey> list = {keys()[0], keys()[1]};
  list[0].up = {0, 1, 0};
  list[1].up = {0, -1, 0};
  list[1].time = list[0].time + 1;
  EXPECT_EQ(render::pictures_of({list, true}, 3).size(), 4u);
  EXPECT_THROW(render::pictures_of({list, true}, 4), Error);
}

TEST(CameraPath, OfOneRowIsOnePicture) {
  EXPECT_EQ(render::pictures_of({{keys()[0]}, true}, 25).size(), 1u);
}

TEST(CameraPath, OfTooManyPicturesIsRefused) {
  std::vector<CameraKey> list = {keys()[0], keys()[1]};
  list[1].time = 1e6;
  EXPECT_THROW(render::pictures_of({list, true}, 30), Error);
  EXPECT_THROW(render::pictures_of({std::vector<CameraKey>(render::kMaxPictures + 1), false}, 30), Error);
}

// Tests views of objects whose up axis is not y: they equal those of the objects after a rotation.

using render::Up;

constexpr std::array<Up, 6> kUps = {Up::X, Up::Y, Up::Z, Up::MinusX, Up::MinusY, Up::MinusZ};
constexpr std::array<Vec3d, 6> kVectors = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
constexpr render::Place kPlace = {{10, 20, 30}, 0.5};

TEST(UpAxis, IsTurnedToYAndBackWithoutMirroring) {
  for (size_t i = 0; i < kUps.size(); ++i) {
    EXPECT_EQ(render::turned_up(kVectors[i], kUps[i]), (Vec3d{0, 1, 0})) << i;
    const Vec3d x = render::turned_up(Vec3d{1, 0, 0}, kUps[i]),
                y = render::turned_up(Vec3d{0, 1, 0}, kUps[i]),
                z = render::turned_up(Vec3d{0, 0, 1}, kUps[i]);
    EXPECT_EQ(cross(x, y), z) << i;
    const Vec3d any = {2, 3, 5};
    EXPECT_EQ(render::turned_back(render::turned_up(any, kUps[i]), kUps[i]), any) << i;
  }
}

TEST(UpAxis, PicturesOfAnUprightThingAreThoseOfTheThingTurned) {
  const VoxelBox box = {{3, 5, 9}, {30, 17, 50}};
  const render::ImageSize size = {300, 200};
  for (const Up up : kUps) {
    const VoxelBox turned = render::turned_up(box, up);
    EXPECT_EQ(turned.voxels(), box.voxels());
    for (const std::string& view : render::view_names())
      for (const uint32_t turntable : {0u, 5u}) {
        const std::vector<render::CameraPose> poses = render::poses_from(
            {.view = view, .turntable = turntable, .up = up}, std::vector<VoxelBox>{box}, kPlace, size);
        const std::vector<render::CameraPose> expected = render::poses_from(
            {.view = view, .turntable = turntable}, std::vector<VoxelBox>{turned}, kPlace, size);
        ASSERT_EQ(poses.size(), expected.size());
        for (size_t i = 0; i < poses.size(); ++i) {
          const render::Camera a = render::make_camera(poses[i], size, 6),
                               b = render::make_camera(expected[i], size, 6);
          EXPECT_LT(length(render::turned_up(a.eye, up) - b.eye), 1e-9);
          EXPECT_LT(length(render::turned_up(a.corner, up) - b.corner), 1e-9) << view << ' ' << int(up);
          EXPECT_LT(length(render::turned_up(a.right, up) - b.right), 1e-12);
          EXPECT_LT(length(render::turned_up(a.down, up) - b.down), 1e-12);
        }
      }
  }
}

TEST(UpAxis, HoldsForAnEyeAndForRowsOfAWayThatNameNone) {
  const std::vector<VoxelBox> boxes = {{{0, 0, 0}, {8, 8, 8}}};
  const std::vector<render::CameraPose> eye =
      render::poses_from({.eye = Vec3d{40, 20, 30}, .up = Up::MinusZ}, boxes, kPlace, {60, 40});
  EXPECT_EQ(eye.at(0).up, (Vec3d{0, 0, -1}));
  EXPECT_EQ(eye.at(0).eye, (Vec3d{60, 0, 0}));
  EXPECT_LT(length(eye.at(0).target - Vec3d{4, 4, 4}), 1.5);  // framed in the same way as by views
  render::CameraPath path;
  path.keys = {{.eye = {1, 2, 3}, .up = Vec3d{1, 1, 0}}, {.eye = {1, 2, 3}}};
  const std::vector<render::CameraPose> way =
      render::poses_from({.path = path, .up = Up::X}, boxes, kPlace, {60, 40});
  EXPECT_EQ(way.at(0).up, (Vec3d{1, 1, 0}));
  EXPECT_EQ(way.at(1).up, (Vec3d{1, 0, 0}));
}

// A cube of 64³ with walls one voxel thick, and in it a table.
struct RoomParts {
  bool walls = true, ceiling = true, window = false, table = true, solid = false;

  int at(uint32_t x, uint32_t y, uint32_t z) const {
    if (solid) return 1;
    if (table && y == 24 && x >= 20 && x < 44 && z >= 20 && z < 44) return 2;
    if (window && x == 63 && y > 24 && y < 40 && z > 24 && z < 40) return dag::kEmptyVoxel;
    if (walls && (x == 0 || z == 0 || x == 63 || z == 63)) return 1;
    return y == 0 || (ceiling && y == 63) ? 1 : dag::kEmptyVoxel;
  }
};

bool is_room(const RoomParts& parts) {
  return render::is_closed_room(
      dense_dag(64, true, [&](uint32_t x, uint32_t y, uint32_t z) { return parts.at(x, y, z); }));
}

TEST(ClosedRoom, HasWallsOnAllSidesAndThingsBetweenThem) {
  EXPECT_TRUE(is_room({}));
  EXPECT_TRUE(is_room({.window = true}));
  EXPECT_FALSE(is_room({.walls = false}));
  EXPECT_FALSE(is_room({.ceiling = false}));
  EXPECT_FALSE(is_room({.table = false}));
  EXPECT_FALSE(is_room({.solid = true}));
  EXPECT_FALSE(render::is_closed_room(dag::empty_dag(64, true)));
}

TEST(ClosedRoom, IsOpenedOnTheSideOfTheCamera) {
  const VoxelBox room = {{10, 20, 30}, {70, 50, 90}};
  const auto layer = [&](const std::string& view) {
    const render::RoomLayer found =
        layer_into_room(room, render::framing(std::vector{room}, view, 0, 40, {300, 200}));
    return std::pair(found.axis, found.at);
  };
  EXPECT_EQ(layer("iso"), std::pair(1u, 39u));
  EXPECT_EQ(layer("top"), std::pair(1u, 39u));
  EXPECT_EQ(layer("bottom"), std::pair(1u, 30u));
  EXPECT_EQ(layer("front"), std::pair(2u, 69u));
  EXPECT_EQ(layer("back"), std::pair(2u, 50u));
  EXPECT_EQ(layer("left"), std::pair(0u, 30u));
}

}  // namespace
}  // namespace vox
