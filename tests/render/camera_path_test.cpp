#include "libvox/render/camera_path.h"

#include <gtest/gtest.h>

#include <limits>

#include "libvox/base/error.h"
#include "libvox/base/length.h"

namespace vox {
namespace {

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

}  // namespace
}  // namespace vox
