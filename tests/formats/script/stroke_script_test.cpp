// Scripts of painted strokes and of edits of volumes.
#include <gtest/gtest.h>

#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "libvox/edit/edit.h"
#include "tests/common/random.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

using painting::StrokeSpace;

TEST(StrokeScript, ReadsLinesPointsAndPlacesInTheTexture) {
  const painting::Strokes strokes = parse_stroke_script(
      "# three strokes\n"
      "stroke color #c03020 radius 0.2 from 1,2,3 through 4,5,6 through -1e2,+.5,0 to 7,8,9  # a comment\n"
      "\n"
      "stroke edge 0 at 0,0,1 radius 1e-3 color #00FF7f\r\n"
      "stroke color #ffffff uv 0.25,0.5 radius 0.125 edge 1",
      "s.txt");
  ASSERT_EQ(strokes.size(), 3u);
  EXPECT_EQ(strokes[0].color, (scene::Rgb8{0xc0, 0x30, 0x20}));
  EXPECT_EQ(strokes[0].radius, 0.2);
  EXPECT_EQ(strokes[0].edge, painting::kUsualEdge);
  EXPECT_EQ(strokes[0].points, (std::vector<Vec3d>{{1, 2, 3}, {4, 5, 6}, {-100, 0.5, 0}, {7, 8, 9}}));
  EXPECT_EQ(strokes[0].line, 2u);
  EXPECT_EQ(strokes[1].color, (scene::Rgb8{0, 255, 127}));
  EXPECT_EQ(strokes[1].edge, 0);
  EXPECT_EQ(strokes[1].points, (std::vector<Vec3d>{{0, 0, 1}}));
  EXPECT_EQ(strokes[1].line, 4u);
  EXPECT_EQ(strokes[2].space, StrokeSpace::Texture);
  EXPECT_EQ(strokes[2].points, (std::vector<Vec3d>{{0.25, 0.5, 0}}));
}

std::string problem_of_strokes(const std::string& text) {
  try {
    parse_stroke_script(text, "s.txt");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(StrokeScript, SaysWhereWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "s.txt: has no strokes"},
      {"# nothing\n", "s.txt: has no strokes"},
      {"\n  strike", "s.txt:2:3: 'strike' is no command"},
      {"stroke", "s.txt:1:7: the stroke lacks color #rrggbb"},
      {"stroke color #102030 at 0,0,0", "s.txt:1:30: the stroke lacks radius LENGTH"},
      {"stroke color #102030 radius 1", "s.txt:1:30: the stroke lacks a place"},
      {"stroke color #102030 radius 1 from 0,0,0", "s.txt:1:41: the stroke lacks to x,y,z"},
      {"stroke color #102030 radius 1 to 0,0,0", "s.txt:1:31: expected 'from' before 'to'"},
      {"stroke color #102030 radius 1 through 0,0,0", "s.txt:1:31: expected 'from' before 'through'"},
      {"stroke radius 1 from 0,0,0 to 1,1,1 to 2,2,2", "s.txt:1:37: the stroke has ended already"},
      {"stroke radius 1 from 0,0,0 to 1,1,1 from 2,2,2", "s.txt:1:37: the stroke has begun already"},
      {"stroke at 0,0,0 uv 0,0", "s.txt:1:17: the stroke has begun already"},
      {"stroke uv 0,0 at 0,0,0", "s.txt:1:15: the stroke has begun already"},
      {"stroke at 0,0,0 through 1,1,1", "s.txt:1:17: expected 'from' before 'through'"},
      {"stroke color", "s.txt:1:13: expected a color #rrggbb"},
      {"stroke color red", "s.txt:1:14: 'red' is no color, expected #rrggbb"},
      {"stroke color 102030", "s.txt:1:14: '102030' is no color"},
      {"stroke color #10203", "s.txt:1:14: '#10203' is no color"},
      {"stroke color #10203g", "s.txt:1:14: '#10203g' is no color"},
      {"stroke color #-10203", "s.txt:1:14: '#-10203' is no color"},
      {"stroke color #102030 color #102030", "s.txt:1:22: 'color' is given twice"},
      {"stroke radius 0", "s.txt:1:15: the radius is '0', expected more than 0"},
      {"stroke radius -1", "s.txt:1:15: the radius is '-1', expected more than 0"},
      {"stroke radius 1e-400", "s.txt:1:15: the radius is '1e-400', expected more than 0"},
      {"stroke radius nan", "s.txt:1:15: 'nan' is no number"},
      {"stroke radius 1e101", "s.txt:1:15: '1e101' is too large"},
      {"stroke radius 1e400", "s.txt:1:15: '1e400' is too large"},
      {"stroke radius", "s.txt:1:14: expected the radius"},
      {"stroke edge 1.01", "s.txt:1:13: the edge is '1.01', expected a share"},
      {"stroke edge -0.1", "s.txt:1:13: the edge is '-0.1'"},
      {"stroke at 0,0", "s.txt:1:11: '0,0' is no x,y,z: expected 3 numbers"},
      {"stroke at 0,0,0,0", "s.txt:1:11: '0,0,0,0' is no x,y,z"},
      {"stroke at 0,x,0", "s.txt:1:13: 'x' is no number"},
      {"stroke at 0,,0", "s.txt:1:13: '' is no number"},
      {"stroke at 0,0,inf", "s.txt:1:15: 'inf' is no number"},
      {"stroke uv 0,0,0", "s.txt:1:11: '0,0,0' is no u,v: expected 2 numbers"},
      {"stroke colur #102030", "s.txt:1:8: 'colur' is no argument of a stroke (did you mean 'color'?)"},
      {"stroke \"color", "s.txt:1:8: the quotes are not closed"},
      {"stroke \x01", "s.txt: is no text file"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string problem = problem_of_strokes(text);
    EXPECT_EQ(problem.substr(0, std::string(expected).size()), expected) << text;
  }
}

TEST(StrokeScript, RandomTextIsAScriptOrAnError) {
  Random random(3);
  const std::string_view words[] = {"stroke", "color", "#c03020", "radius", "0.5", "edge", "from",
                                    "1,2,3",  "to",    "through", "at",     "uv",  "1,2",  "\n",
                                    "#",      "\"",    "1e999",   ",",      "-",   "\t",   "\xc3\xa4"};
  uint32_t scripts = 0;
  for (uint32_t round = 0; round < 3000; ++round) {
    std::string text = round % 2 ? "stroke color #c03020 radius 1 at 0,0,0\n" : "";
    for (uint32_t n = random.below(30); n > 0; --n) {
      text += words[random.below(std::size(words))];
      if (random.below(4) > 0) text += ' ';
      if (random.below(20) == 0) text += static_cast<char>(random.below(256));
    }
    try {
      for (const painting::Stroke& stroke : parse_stroke_script(text, "s.txt")) {
        EXPECT_GT(stroke.radius, 0);
        EXPECT_FALSE(stroke.points.empty());
      }
      ++scripts;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("s.txt"), std::string::npos);
    }
  }
  EXPECT_GT(scripts, 10u);
}

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

using edit::VolumeEdit;
using edit::VolumeOp;

constexpr SceneFrame kVolume = {.materials = false, .edits = EditsOf::Volume};

std::vector<VolumeEdit> edits(const std::string& text, const SceneFrame& frame = kVolume) {
  const edit::Script script = parse_edit_script(text, "scripts/v.txt", frame);
  std::vector<VolumeEdit> edits;
  for (edit::ScriptCursor cursor(script); const auto command = cursor.next();)
    if (const auto* edit = std::get_if<VolumeEdit>(&command->action)) edits.push_back(*edit);
  return edits;
}

edit::Shape ball(int64_t x) {
  return {.kind = edit::ShapeKind::Sphere, .a = {x * 256, 512, 768}, .radius = 1024};
}

TEST(VolumeScript, EveryCommandTakesItsNumberAShapeAndAMask) {
  EXPECT_EQ(edits("set -3.5"), std::vector{(VolumeEdit{.op = VolumeOp::Set, .amount = -3.5})});
  EXPECT_EQ(edits("add 1e3 in sphere center 1,2,3 radius 4"),
            std::vector{(VolumeEdit{.op = VolumeOp::Add, .shape = ball(1), .amount = 1000})});
  EXPECT_EQ(edits("scale 0.25 mask a.nrrd"),
            std::vector{(VolumeEdit{.op = VolumeOp::Scale, .amount = 0.25, .mask = 1})});
  EXPECT_EQ(
      edits("threshold 7 mask a.nrrd at 1,-2,3 in sphere center 1,2,3 radius 4"),
      std::vector{(VolumeEdit{
          .op = VolumeOp::Threshold, .shape = ball(1), .amount = 7, .mask = 1, .mask_at = {1, -2, 3}})});
  EXPECT_EQ(edits("smooth"), std::vector{VolumeEdit{.op = VolumeOp::Smooth}});
  EXPECT_EQ(edits("smooth reach 8"), std::vector{(VolumeEdit{.op = VolumeOp::Smooth, .reach = 8})});
}

TEST(VolumeScript, AMaskHasTheNumberOfItsFile) {
  const edit::Script script =
      parse_edit_script("set 1 mask b.h5\nset 1 mask a.h5\nset 1 mask b.h5\n", "scripts/v.txt", kVolume);
  EXPECT_EQ(script.files, (std::vector<std::filesystem::path>{"scripts/b.h5", "scripts/a.h5"}));
  std::vector<uint32_t> masks;
  for (const edit::Command& command : script.commands)
    masks.push_back(std::get<VolumeEdit>(command.action).mask);
  EXPECT_EQ(masks, (std::vector<uint32_t>{1, 2, 1}));
}

TEST(VolumeScript, APlaceWithoutAMaskIsAnError) {
  try {
    edits("set 1 at 1,2,3");
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'at' has no effect without 'mask FILE'"), std::string::npos)
        << error.what();
  }
}

TEST(VolumeScript, RepetitionsMoveShapesAndMasks) {
  const std::vector<VolumeEdit> found =
      edits("repeat 2 step 10,0,0\nset 1 in sphere center 1,2,3 radius 4 mask a.h5 at 5,5,5\nend\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].shape, ball(11));
  EXPECT_EQ(found[1].mask_at, (Int3{15, 5, 5}));
}

TEST(VolumeScript, UnitsAreThoseOfTheFile) {
  volume::VolumeInfo info;
  info.spacing = {0.5, 0.5, 0.5};
  info.origin = {10, 20, 30};
  EXPECT_EQ(edits("units scene\nset 1 in sphere center 10.5,21,31.5 radius 2", frame_of(info)),
            std::vector{(VolumeEdit{.op = VolumeOp::Set, .shape = ball(1), .amount = 1})});
  info.spacing.z = 0.7;
  EXPECT_THROW(edits("units scene", frame_of(info)), Error);
}

TEST(VolumeScript, PlacesStayInRange) {
  EXPECT_THROW(edits("repeat 3 step 2000000,0,0\nset 1 mask a.h5 at 0,0,0\nend\n"), Error);
  EXPECT_THROW(edits("repeat 3 step 2000000,0,0\nset 1 in sphere center 1,2,3 radius 4\nend\n"), Error);
}

}  // namespace
}  // namespace vox
