// Tests views of objects whose up axis is not y: they equal those of the objects after a rotation.
#include "libvox/render/viewpoints.h"

#include <gtest/gtest.h>

#include "libvox/base/length.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

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
