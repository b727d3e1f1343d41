#include "formats/script/camera_csv.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "tests/formats/mesh/asset_files.h"

namespace vox {
namespace {

const std::string kNames = "eye_x,eye_y,eye_z,target_x,target_y,target_z";

std::string camera_error(const std::string& text) {
  TestFolder folder;
  try {
    read_camera_csv(folder.write("way.csv", text));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CameraCsv, ColumnsAreReadByTheirNames) {
  TestFolder folder;
  const render::CameraPath path = read_camera_csv(folder.write(
      "way.csv",
      "\xef\xbb\xbf# a way\r\n\r\ntime, eye_x ,eye_y,eye_z,fov,target_z,target_y,target_x # names\r\n"
      "0,1,2,3,40,-6,5,4\r\n  2.5 ,1e1,-2, 3,20,6,5,4  # end"));
  EXPECT_TRUE(path.timed);
  ASSERT_EQ(path.keys.size(), 2u);
  EXPECT_EQ(path.keys[0].eye, (Vec3d{1, 2, 3}));
  EXPECT_EQ(path.keys[0].target, (Vec3d{4, 5, -6}));
  EXPECT_EQ(path.keys[0].fov, 40);
  EXPECT_EQ(path.keys[1].eye, (Vec3d{10, -2, 3}));
  EXPECT_EQ(path.keys[1].time, 2.5);
}

TEST(CameraCsv, TimesAndAnglesNeedNotBeThere) {
  TestFolder folder;
  const render::CameraPath path = read_camera_csv(folder.write("way.csv", kNames + "\n1,2,3,4,5,6\n"));
  EXPECT_FALSE(path.timed);
  EXPECT_FALSE(path.keys.at(0).fov);
}

TEST(CameraCsv, WhatIsUpIsReadWhereItIsThere) {
  TestFolder folder;
  const render::CameraPath path =
      read_camera_csv(folder.write("way.csv", "up_z,up_x,up_y," + kNames + "\n-1,0,0.5,1,2,3,4,5,6\n"));
  EXPECT_EQ(path.keys.at(0).up, (Vec3d{0, 0.5, -1}));
  EXPECT_EQ(path.keys.at(0).eye, (Vec3d{1, 2, 3}));
}

TEST(CameraCsv, WhatIsWrongIsSaidWithItsLine) {
  const auto expect_error = [](const std::string& text, const std::string& place, const std::string& words) {
    const std::string error = camera_error(text);
    EXPECT_NE(error.find("way.csv" + place), std::string::npos) << error;
    EXPECT_NE(error.find(words), std::string::npos) << error;
  };
  expect_error("1,2,3,4,5,6\n", ":1:1:", "'1' is not a column");
  expect_error("eye_x,eye_x\n", ":1:7:", "occurs twice");
  expect_error("eye_x,eye_y,eye_z,target_x,target_z\n", ":1:", "target_y is missing");
  expect_error(kNames + "\n", ":", "no row with a camera");
  expect_error(kNames + "\n# nothing\n\n", ":", "no row with a camera");
  expect_error(kNames + "\n1,2,3,4,5\n", ":2:", "5 cells, expected 6");
  expect_error(kNames + "\n1,2,3,4,5,6,7\n", ":2:", "7 cells, expected 6");
  expect_error(kNames + "\n\n1,2,x,4,5,6\n", ":3:5:", "'x' is no number");
  expect_error(kNames + "\n1,2,,4,5,6\n", ":2:5:", "'' is no number");
  expect_error(kNames + "\n1,2,nan,4,5,6\n", ":2:5:", "nan");
  expect_error(kNames + "\n1,2,1e300,4,5,6\n", ":2:5:", "eye_z is 1e300");
  expect_error(kNames + "\n1,2,3,1,2,3\n", ":2:", "the eye is where its target is");
  expect_error(kNames + ",fov\n1,2,3,4,5,6,180\n", ":2:13:", "fov is 180");
  expect_error(kNames + ",time\n1,2,3,4,5,6,1\n1,2,3,4,5,6,1\n", ":3:", "not after the one before");
  expect_error(kNames + ",time\n1,2,3,4,5,6,-1\n", ":2:13:", "time is -1");
  expect_error(kNames + ",up_x,up_z\n", ":1:", "up_y is missing");
  expect_error(kNames + ",up_x,up_y,up_z\n1,2,3,4,5,6,0,0,0\n", ":2:", "up is about 0,0,0");
  expect_error(kNames + ",up_x,up_y,up_z\n1,2,3,4,5,6,0,1e-300,0\n", ":2:", "up is about 0,0,0");
  expect_error(std::string("eye_x\0", 6), "", "no text file");
}

// Every truncated text must give a camera path or an Error.
TEST(CameraCsv, EveryTruncationIsAWayOrAnError) {
  const std::string whole = kNames + ",fov,time\r\n1,2,3,4,5,6,40,0\r\n\"1,2,3,4,5,7,40,1e1";
  for (size_t length = 0; length < whole.size(); ++length) camera_error(whole.substr(0, length));
}

}  // namespace
}  // namespace vox
