#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "formats/script/script_parts.h"
#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

std::string error(const std::string& text, const SceneFrame& frame = {}) {
  return error_of([&] { parse_edit_script(text, "a.txt", frame); });
}

// Expects an error that names this line and column and contains `problem`.
void expect_error(const std::string& text, const std::string& where, const std::string& problem,
                  const SceneFrame& frame = {}) {
  std::string message = error(text, frame);
  EXPECT_EQ(message.substr(0, message.find(": ")), "a.txt:" + where) << text << "\n" << message;
  EXPECT_NE(message.find(problem), std::string::npos) << text << "\n" << message;
}

TEST(EditScriptErrors, UnknownCommandsNameTheNearest) {
  expect_error("undo\n  spheer add", "2:3", "'spheer' is no command (did you mean 'sphere'?)");
  expect_error("subtrat a.h5", "1:1", "did you mean 'subtract'?");
  expect_error("translate 1,2,3", "1:1", "'translate' is no command (docs/editing.md lists all of them)");
  expect_error("Sphere add", "1:1", "did you mean 'sphere'?");
}

TEST(EditScriptErrors, UnknownArgumentsNameTheNearestAndAllOthers) {
  expect_error("sphere add radus 5", "1:12",
               "'radus' is no argument of 'sphere add', expected center x,y,z, radius LENGTH, noise LENGTH, "
               "grain VOXELS, seed NUMBER, material 0-15 (did you mean 'radius'?)");
  expect_error("sphere ad radius 5", "1:8",
               "expected add, remove, paint or replace, not 'ad' (did you mean 'add'?)");
  expect_error("sphere", "1:7", "expected add, remove, paint or replace");
  expect_error("erode in sfere", "1:10", "'sfere' is no shape");
  expect_error("clear bax", "1:7", "did you mean 'box'?");
  expect_error("gc evry 5", "1:4", "did you mean 'every'?");
  expect_error("cylinder remove from 0,0,0 to 1,1,1 radius 2 noise 3", "1:46", "'noise' is no argument");
}

TEST(EditScriptErrors, MissingAndDoubledArgumentsAreNamed) {
  expect_error("sphere remove center 1,2,3", "1:27", "'sphere remove' needs 'radius LENGTH'");
  expect_error("sphere add center 1,2,3 radius 4 # c", "1:33", "'sphere add' needs 'material 0-15'");
  expect_error("sphere remove radius 3 radius 4", "1:24", "'radius' is given twice");
  expect_error("sphere remove radius", "1:21", "expected LENGTH behind 'radius'");
  expect_error("fill material 1", "1:16", "'fill' needs 'seed x,y,z'");
  expect_error("copy min 0,0,0 max 1,1,1", "1:25", "'copy' needs 'to x,y,z'");
  expect_error("stamp", "1:6", "expected the FILE to stamp");
  expect_error("stamp a.h5", "1:11", "'stamp' needs 'at x,y,z'");
  expect_error("sphere remove center 1,2,3 radius 4 material 3", "1:37",
               "'material' is no argument of 'sphere remove'");
  expect_error("erode in box min 1,1,1 max 2,2,2 in box", "1:34", "'in' is given twice");
  expect_error("sphere remove center 1,2,3 radius 4 grain 3", "1:43",
               "'grain' has no effect without 'noise LENGTH'");
  expect_error("sphere remove center 1,2,3 radius 4 seed 3", "1:42",
               "'seed' has no effect without 'noise LENGTH'");
}

TEST(EditScriptErrors, BadNumbersSayWhatIsWrongWithThem) {
  std::string sphere = "sphere remove radius 1 center ";
  expect_error(sphere + "1,x,3", "1:33", "'x' is no number");
  expect_error(sphere + "1,2", "1:31", "'1,2' is no x,y,z");
  expect_error(sphere + "1,2,3,4", "1:31", "'1,2,3,4' is no x,y,z");
  expect_error(sphere + "1, 2, 3", "1:31", "no blanks");
  expect_error(sphere + "1 2 3", "1:31", "'1' is no x,y,z: expected three numbers with commas");
  expect_error(sphere + "1,2,nan", "1:35", "'nan' is not finite");
  expect_error(sphere + "-inf,2,3", "1:31", "'-inf' is not finite");
  expect_error(sphere + "1,2,1e300", "1:35", "too large");
  expect_error(sphere + "1,2,2097152.01", "1:35", "too large");
  expect_error(sphere + "1,2,-2097152.01", "1:35", "too large");
  EXPECT_EQ(error(sphere + "1,2,-2097152"), "");
  expect_error("sphere remove center 1,2,3 radius -1", "1:35", "'-1' is negative");
  expect_error("sphere remove center 1,2,3 radius 1048576.01", "1:35", "too large");
  EXPECT_EQ(error("sphere remove center 1,2,3 radius 1048576"), "");
  expect_error("ellipsoid remove center 1,2,3 radii 1,-2,3", "1:39", "'-2' is negative");
  expect_error("erode steps 0", "1:13", "expected a whole number from 1 to 1,024");
  expect_error("erode steps 1.5", "1:13", "expected a whole number from 1 to 1,024, not '1.5'");
  expect_error("undo 4294967296", "1:6", "expected a whole number");
  expect_error("undo 1 2", "1:8", "expected the end of the line, not '2'");
  expect_error("gc threshold 120%", "1:14", "no share");
  EXPECT_EQ(error("gc threshold 100%"), "");
  expect_error("gc threshold nan", "1:14", "no share");
  expect_error("gc budget 2", "1:11", "no time");
  expect_error("gc every 3 never", "1:1", "one of every, threshold and never");
}

TEST(EditScriptErrors, MaterialsGoFrom0To15) {
  for (const char* text : {"16", "-1", "3.5", "x", "999999999999"})
    expect_error(std::string("sphere add center 0,0,0 radius 1 material ") + text, "1:43",
                 "expected 0 to 15");
  expect_error("replace material 3 with 16", "1:25", "expected 0 to 15");
}

TEST(EditScriptErrors, ASceneWithoutMaterialsHasNoneToChange) {
  SceneFrame frame{.materials = false};
  std::string arguments = " center 0,0,0 radius 1";
  expect_error("sphere paint material 0" + arguments, "1:8", "the scene has no materials", frame);
  expect_error("sphere replace material 0 with 1" + arguments, "1:8", "the scene has no materials", frame);
  expect_error("replace material 0 with 1", "1:1", "the scene has no materials", frame);
  expect_error("sphere add material 3" + arguments, "1:21", "the scene has no materials", frame);
  expect_error("fill seed 1,1,1 material 2", "1:26", "the scene has no materials", frame);
}

TEST(EditScriptErrors, PlacesOfVoxelsAreWholeAndBoxesInOrder) {
  expect_error("copy min 0,0.5,0 max 9,9,9 to 1,1,1", "1:12", "'0.5' is no whole number of voxels");
  expect_error("stamp a.h5 at 1,1,1.001", "1:19", "'1.001' is no whole number");
  expect_error("fill seed 1e-9,1,1 material 0", "1:11", "no whole number");
  expect_error("box remove min 0,5,0 max 9,4,9", "1:26", "'max' is below 'min' on the y axis");
  expect_error("copy min 0,0,5 max 9,4,4 to 0,0,0", "1:20", "'max' is below 'min' on the z axis");
  EXPECT_EQ(error("box remove min 5,5,5 max 5,5,5"), "");
  expect_error("cylinder remove from 1,2,3 to 1,2.001,3 radius 2", "1:31", "the same place");
  EXPECT_EQ(error("capsule remove from 1,2,3 to 1,2,3 radius 2"), "");
}

TEST(EditScriptErrors, TurnsAreByRightAngles) {
  expect_error("copy rotate w 90", "1:13", "'w' is no axis");
  expect_error("copy rotate x 45", "1:15", "expected 90, 180 or 270");
  expect_error("copy rotate x", "1:14", "expected an angle");
  expect_error("copy mirror", "1:12", "expected an axis");
}

TEST(EditScriptErrors, SnapshotsComeBeforeTheyAreRestored) {
  expect_error("restore a\nsnapshot a", "1:9", "no snapshot 'a' stands before this line");
  expect_error("snapshot start\nrestore strat", "2:9", "did you mean 'start'?");
}

TEST(EditScriptErrors, RepetitionsHaveAnEndAndALimit) {
  expect_error("undo\n  repeat 3\nundo", "2:3", "no 'end' follows this 'repeat'");
  expect_error("repeat 3\nend\nend", "3:1", "no 'repeat' is open");
  expect_error("repeat 0\nend", "1:8", "expected a whole number from 1 to 10,000,000");
  expect_error("repeat 10000000\nundo\nend\nundo", "4:1", "more than 10,000,000 commands");
  expect_error("repeat 10000000\nrepeat 10000000\nundo\nend\nend", "3:1", "more than 10,000,000 commands");
  std::string deep;
  for (int i = 0; i < 16; ++i) deep += "repeat 10000000 step 2097152,2097152,-2097152\n";
  expect_error(deep + "undo", "17:1", "more than 10,000,000 commands");
  expect_error(deep + "repeat 1", "17:1", "more than 16 nested repetitions");
}

TEST(EditScriptErrors, RepetitionsKeepPlacesInRange) {
  std::string sphere = "\nsphere remove center 2000000,0,0 radius 1\nend";
  EXPECT_EQ(error("repeat 98 step 1000,0,0" + sphere), "");  // 2,097,000
  expect_error("repeat 99 step 1000,0,0" + sphere, "2:1", "repeated, this moves beyond ±2,097,152 voxels");
  EXPECT_EQ(error("repeat 98 step 1000,0,0 jitter 152,0,0" + sphere), "");
  expect_error("repeat 98 step 1000,0,0 jitter 153,0,0" + sphere, "2:1", "moves beyond");
  EXPECT_EQ(error("repeat 98 step -1000,0,0 jitter 153,0,0" + sphere), "");
  const std::string long_box = "box min 0,0,0 max 2000000,1,1\nend",
                    copy = "\ncopy min 0,0,0 max 1,1,1 to 0,0,0 in ";
  for (const std::string& edit : {"\nclear " + long_box, copy + long_box}) {
    EXPECT_EQ(error("repeat 98 step 1000,0,0" + edit), "");
    expect_error("repeat 99 step 1000,0,0" + edit, "2:1", "moves beyond");
  }
  const std::string low = "\nsphere remove center 0,0,-2000000 radius 1\nend";
  EXPECT_EQ(error("repeat 98 step 0,0,-1000" + low), "");
  expect_error("repeat 99 step 0,0,-1000" + low, "2:1", "moves beyond");
  expect_error("repeat 10000000 step 2097152,0,0\nstamp a.h5 at 0,0,0\nend", "2:1", "moves beyond");
  std::string nested = "repeat 50 step 1000,0,0\nrepeat 50 step 1000,0,0";
  EXPECT_EQ(error(nested + "\nfill seed 1999152,0,0 material 1\nend\nend"), "");
  expect_error(nested + "\nfill seed 1999153,0,0 material 1\nend\nend", "3:1", "moves beyond");
}

TEST(EditScriptErrors, ColumnsCountCharacters) {
  expect_error("save \"größe.h5\" 5", "1:17", "expected the end of the line");
  expect_error("save \"open", "1:6", "quotes are not closed");
  expect_error("save \"a\"b", "1:9", "expected a blank behind the quotes");
}

TEST(EditScriptErrors, LongWordsAreShortened) {
  std::string message = error(std::string(1 << 20, 'x'));
  EXPECT_LT(message.size(), 200u);
  EXPECT_LT(error("sphere add " + std::string(1 << 20, 'x')).size(), 500u);
  EXPECT_LT(error("snapshot " + std::string(100000, 'x') + "\nrestore " + std::string(100000, 'y')).size(),
            500u);
}

TEST(EditScriptErrors, AWordIsNotShortenedWithinACharacter) {
  const std::string ascii(39, 'x');
  EXPECT_EQ(in_quotes(ascii + "y"), "'" + ascii + "y'");
  EXPECT_EQ(in_quotes(ascii + "yz"), "'" + ascii + "y…'");
  EXPECT_EQ(in_quotes(ascii + "ßz"), "'" + ascii + "…'");
}

TEST(EditScriptErrors, UnitsAreVoxelsOrTheScenes) {
  expect_error("units meters", "1:7", "expected voxels or scene, not 'meters'");
  expect_error("units scene", "1:7", "no cubes", {.voxel_size = 0});
  SceneFrame nowhere{.origin = {std::nan(""), 0, 0}, .voxel_size = 1e-300};
  expect_error("units scene\nsphere remove center 1,1,1 radius 1", "2:22", "too large", nowhere);
}

TEST(EditScriptErrors, WhoAsksHearsOfAllOfThemAndGetsTheRest) {
  std::string heard;
  const edit::OnScriptError on_error = [&](const Error& error) {
    heard += std::string(error.what()).substr(0, 9) + "\n";
  };
  const std::string text =
      "undo x\n\"open\nrepeat 0\n undo\nend\nrepeat 2\nredo\nend now\nend\nrepeat 5\nrepeat 7\nundo\n";
  const edit::Script script = parse_edit_script(text, "a.txt", {}, on_error);
  EXPECT_EQ(heard, "a.txt:1:6\na.txt:2:1\na.txt:3:8\na.txt:8:5\na.txt:9:1\na.txt:11:\na.txt:10:\n");
  EXPECT_EQ(script.commands.size(), 3u);  // the commands of the lines without errors
}

TEST(EditScriptErrors, FilesThatHoldNoScriptSaySo) {
  TestFolder folder;
  auto file_error = [](const std::filesystem::path& path) {
    return error_of([&] { read_edit_script(path, {}); });
  };
  EXPECT_NE(file_error(folder.path() / "none.txt").find("No such file"), std::string::npos);
  EXPECT_NE(file_error(folder.path()).find("is a folder"), std::string::npos);
  EXPECT_NE(file_error(folder.write("empty.txt", "")).find("the file is empty"), std::string::npos);
  std::string binary = std::string("undo\n\x89HDF\r\n\x1a\n") + '\0' + "\nundo";
  std::string message = file_error(folder.write("scene.h5", binary));
  EXPECT_NE(message.find("is no text file: a byte 0x1a is in line 3"), std::string::npos) << message;
  EXPECT_NE(error(std::string("undo\0undo", 9)).find("is no text file"), std::string::npos);
}

// Computes text * 256, halves away from zero, in 128-bit integers. The text has the form "123.456" and at
// most 24 digits.
int64_t rounded_slowly(const std::string& text) {
  __int128 digits = 0, divisor = 1;
  bool negative = text[0] == '-', after_point = false;
  for (char c : text.substr(negative ? 1 : 0)) {
    if (c == '.') {
      after_point = true;
    } else {
      digits = digits * 10 + (c - '0');
      if (after_point) divisor *= 10;
    }
  }
  __int128 units = (digits * 256 * 2 / divisor + 1) / 2;
  return static_cast<int64_t>(negative ? -units : units);
}

TEST(ScriptValues, NumbersAreRoundedExactlyTo256ths) {
  Random random(9);
  for (int i = 0; i < 100000; ++i) {
    // The number is often a tie, (k + ½)/256, or one unit in the last place beside it.
    std::string text = random.below(2) == 0 ? "-" : "";
    uint64_t tie = (2ull * random.below(256) + 1) * 1953125;  // in units of 10^-9
    switch (random.below(4)) {
      case 0:
        text += fmt::format("{}.{:09}", random.below(3000), tie);
        break;
      case 1:
        text += fmt::format("{}.{:09}99999", random.below(3000), tie - 1);
        break;
      case 2:
        text += fmt::format("{}.{:09}00001", random.below(3000), tie);
        break;
      default:
        text += fmt::format("{}.{}", random.below(3000), random.below(1u << 31));
    }
    Fixed fixed = parse_fixed(text);
    ASSERT_EQ(fixed.kind, NumberKind::Number) << text;
    ASSERT_EQ(fixed.units, rounded_slowly(text)) << text;
  }
}

TEST(ScriptValues, TiesThatDoublesCannotTellApartAreTold) {
  EXPECT_EQ(parse_fixed("0.001953125").units, 1);
  EXPECT_EQ(parse_fixed("0.00195312499999999999999999999999999999").units, 0);
  EXPECT_EQ(parse_fixed("-0.001953125").units, -1);
  EXPECT_EQ(parse_fixed("-0.0019531249999999999999999999999999999").units, 0);
}

TEST(ScriptValues, ExponentsMoveThePoint) {
  for (const char* text : {"12.5", "+12.5", "1.25e1", "125e-1", ".125E+2", "0.00125e4", "12500000000000e-12",
                           "00012.5000", "1250000000000000000000000000000e-29"})
    EXPECT_EQ(parse_fixed(text).units, 3200) << text;
  for (const char* text : {"0", "-0", "0.", ".0", "0e99999999999999999999", "0e-5", "-.000"}) {
    EXPECT_EQ(parse_fixed(text).kind, NumberKind::Number) << text;
    EXPECT_EQ(parse_fixed(text).units, 0) << text;
    EXPECT_TRUE(parse_fixed(text).whole) << text;
  }
  EXPECT_EQ(parse_fixed("1e-999999999999999999999").units, 0);
}

TEST(ScriptValues, AFractionIsNotWholeHoweverSmall) {
  for (const char* text : {"0.5", "1e-30", "3.0000000000000000000000000000001", "125e-1", "-0.001"})
    EXPECT_FALSE(parse_fixed(text).whole) << text;
  for (const char* text : {"3", "3.", "3.000", "125e1", "1.25e2", "30e-1", "-7"})
    EXPECT_TRUE(parse_fixed(text).whole) << text;
}

TEST(ScriptValues, WholeNumbersGoUpTo64Bits) {
  EXPECT_EQ(parse_whole("1000000"), 1000000u);
  EXPECT_EQ(parse_whole("1e6"), 1000000u);
  EXPECT_EQ(parse_whole("+1.25E2"), 125u);
  EXPECT_EQ(parse_whole("0000012.000"), 12u);
  EXPECT_EQ(parse_whole("120e-1"), 12u);
  EXPECT_EQ(parse_whole("-0.0e9"), 0u);
  EXPECT_EQ(parse_whole("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_whole("1844674407370955161.5e1"), UINT64_MAX);
  for (const char* text : {"18446744073709551616", "1e20", "1e999999999999999999999", "-1", "1.5", "12e-1",
                           "1e-9", "nan", "", "1,000", "0x10"})
    EXPECT_EQ(parse_whole(text), std::nullopt) << text;
}

TEST(ScriptValues, WhatIsNoNumberIsToldFromWhatIsTooLarge) {
  for (const char* text :
       {"", "-", ".", "e5", "1e", "1e+", "--1", "+-1", "1.2.3", "1x", "0x10", " 1", "1 ", "-."})
    EXPECT_EQ(parse_fixed(text).kind, NumberKind::NoNumber) << text;
  for (const char* text : {"nan", "NaN", "-nan", "inf", "+Inf", "-INFINITY"})
    EXPECT_EQ(parse_fixed(text).kind, NumberKind::NotFinite) << text;
  for (const char* text : {"8388608", "-1e20", "1e99999999999999999999", "99999999999999999999999999"})
    EXPECT_EQ(parse_fixed(text).kind, NumberKind::TooLarge) << text;
  EXPECT_EQ(parse_fixed("8388607.99").kind, NumberKind::Number);
}

}  // namespace
}  // namespace vox
