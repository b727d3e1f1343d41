// Tables as text: recordings of edits, and rules that give names of a mesh numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/common/test_process.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

edit::Script replayed(const std::string& text, const ReplayOptions& options = {}) {
  return parse_replay_csv(text, "r.csv", options);
}

template <class Kind>
Kind replayed_edit(const std::string& text, const ReplayOptions& options = {}) {
  edit::Script script = replayed(text, options);
  EXPECT_EQ(script.commands.size(), 1u);
  return std::get<Kind>(std::get<edit::Edit>(script.commands.at(0).action));
}

std::string replay_error(const std::string& text) {
  return error_of([&] { replayed(text); });
}

edit::EditPlace place(int64_t x, int64_t y, int64_t z) {
  return edit::EditPlace{x, y, z} * edit::kEditUnits;
}

TEST(ReplayCsv, SpheresCubesAndPaintKeepPlaceAndRadius) {
  ReplayOptions options{.material = 5};
  edit::Shape sphere{.kind = edit::ShapeKind::Sphere, .a = place(13695, 33863, 21702), .radius = 910 * 256};
  EXPECT_EQ(replayed_edit<edit::PaintEdit>("EditSphere,13695,33863,21702,910,TRUE,,,,\n", options),
            (edit::PaintEdit{sphere, edit::PaintMode::Add, 5, 0}));
  EXPECT_EQ(replayed_edit<edit::PaintEdit>(
                "EditSphere,13695.000000,33863.000000,21702.000000,910.000000,false", options),
            (edit::PaintEdit{sphere, edit::PaintMode::Remove, 0, 0}));
  EXPECT_EQ(replayed_edit<edit::PaintEdit>("EditPaint,13695,33863,21702,910\r\n", options),
            (edit::PaintEdit{sphere, edit::PaintMode::Paint, 5, 0}));
  edit::Shape cube{.kind = edit::ShapeKind::Box, .a = place(8, 18, 28), .b = place(12, 22, 32)};
  EXPECT_EQ(replayed_edit<edit::PaintEdit>("EditCube,10,20,30,2,true", options),
            (edit::PaintEdit{cube, edit::PaintMode::Add, 5, 0}));
  EXPECT_EQ(replayed_edit<edit::PaintEdit>("EditCube,10.25,20,30,1.5,FALSE", options).shape,
            (edit::Shape{.kind = edit::ShapeKind::Box, .a = place(8, 18, 28), .b = place(12, 22, 32)}));
}

TEST(ReplayCsv, FramesLinesAndTextsAreKept) {
  edit::Script script = replayed(
      "SetLocation,1,2,3\nSetRotation,0,0,-1,0,1,0,1,0,0\nEditSphere,1,1,1,1,true\nUndo\nEndFrame,,,,\n"
      "SetToolParameters,1,2,3,4,5,6,7,8,9,10,2\nEndFrame\n\nRedo ,,");
  ASSERT_EQ(script.commands.size(), 3u);
  EXPECT_EQ(script.total, 3u);
  EXPECT_EQ(script.commands[0].frame, 1u);
  EXPECT_EQ(script.commands[1].frame, 1u);
  EXPECT_EQ(script.commands[2].frame, 3u);
  EXPECT_EQ(script.commands[1].action, edit::Action(edit::Undo{1}));
  EXPECT_EQ(script.commands[2].action, edit::Action(edit::Redo{1}));
  EXPECT_EQ(script.commands[2].line, 9u);
  EXPECT_EQ(edit::source_text(script, script.commands[0]), "EditSphere,1,1,1,1,true");
}

TEST(ReplayCsv, LinesThatBeginWithAHashAreComments) {
  EXPECT_EQ(replayed("# vox-edit a.h5 --script b.csv\nUndo\n #\n").commands.size(), 1u);
}

TEST(ReplayCsv, AFillStartsAtItsPlaceAndStaysInItsCube) {
  edit::FillEdit fill = replayed_edit<edit::FillEdit>("EditFill,10,20,30,4", {.material = 3});
  edit::Shape cube{.kind = edit::ShapeKind::Box, .a = place(6, 16, 26), .b = place(14, 24, 34)};
  EXPECT_EQ(fill, (edit::FillEdit{{10, 20, 30}, 3, cube, UINT64_MAX}));
}

TEST(ReplayCsv, PlacesAreSwizzledThenScaledThenShifted) {
  ReplayOptions options{.swizzle = {0, 2, 1}, .scale = {1, 3}, .shift = {100, 0.5, -1}};
  edit::Shape shape = replayed_edit<edit::PaintEdit>("EditSphere,30,60,93,7.5,true", options).shape;
  EXPECT_EQ(shape.a, (edit::EditPlace{110 * 256, 31 * 256 + 128, 19 * 256}));
  EXPECT_EQ(shape.radius, 640);
}

// Maps each voxel of the target to the source voxel from which it takes its value.
using Map = std::map<std::tuple<int, int, int>, std::tuple<int, int, int>>;

Map map_of(const edit::CopyEdit& copy) {
  Map map;
  Int3 size = copy.source.size();
  const int32_t sides[3] = {size.x, size.y, size.z};
  for (int32_t z = 0; z < size.z; ++z)
    for (int32_t y = 0; y < size.y; ++y)
      for (int32_t x = 0; x < size.x; ++x) {
        const int32_t from[3] = {x, y, z};
        int32_t to[3];
        for (size_t k = 0; k < 3; ++k) {
          uint8_t axis = copy.turn.axis[k];
          to[k] = copy.turn.flip[k] ? sides[axis] - 1 - from[axis] : from[axis];
        }
        map[{copy.to.x + to[0], copy.to.y + to[1], copy.to.z + to[2]}] = {
            copy.source.min.x + x, copy.source.min.y + y, copy.source.min.z + z};
      }
  return map;
}

// Applies the recording program's rule voxel by voxel: each voxel that the turned cube touches takes the
// value at the place to which the inverse matrix leads.
Map map_as_recorded(Vec3d at, Vec3d source, Vec3d dest, double radius, const double (&matrix)[3][3]) {
  auto times = [&](Vec3d v, auto entry) {
    return Vec3d{entry(0, 0) * v.x + entry(0, 1) * v.y + entry(0, 2) * v.z,
                 entry(1, 0) * v.x + entry(1, 1) * v.y + entry(1, 2) * v.z,
                 entry(2, 0) * v.x + entry(2, 1) * v.y + entry(2, 2) * v.z};
  };
  Vec3d center = dest + times(at - source, [&](int i, int j) { return matrix[i][j]; });
  auto touches = [&](double v, double c) { return v + 1 > c - radius && v < c + radius; };
  Map map;
  for (int z = -60; z < 60; ++z)
    for (int y = -60; y < 60; ++y)
      for (int x = -60; x < 60; ++x) {
        if (!touches(x, center.x) || !touches(y, center.y) || !touches(z, center.z)) continue;
        Vec3d offset = Vec3d{double(x), double(y), double(z)} - dest;
        Vec3d from = source + times(offset, [&](int i, int j) { return matrix[j][i]; });  // the transpose
        map[{x, y, z}] = {int(from.x), int(from.y), int(from.z)};
      }
  return map;
}

TEST(ReplayCsv, CopiesWithoutAMatrixMoveTheCubeAroundTheirPlace) {
  edit::CopyEdit copy = replayed_edit<edit::CopyEdit>(
      "EditCopy,38211,32932,18264,38212,32929,18280,36688,32898,11927,190.000000");
  EXPECT_EQ(copy.source, (VoxelBox{{38021, 32742, 18074}, {38401, 33122, 18454}}));
  EXPECT_EQ(copy.to, (Int3{36497, 32711, 11721}));
  EXPECT_EQ(copy.turn, edit::Turn());
  EXPECT_EQ(copy.within, edit::Shape());
  EXPECT_TRUE(copy.skip_empty);
  EXPECT_TRUE(copy.keep_filled);
}

TEST(ReplayCsv, TurnedCopiesTakeEveryVoxelFromWhereTheRecordingDid) {
  Random random(21);
  for (int round = 0; round < 60; ++round) {
    double matrix[3][3] = {};
    uint32_t order = random.below(3), other = random.below(2);
    for (uint32_t k = 0; k < 3; ++k)
      matrix[k][(other ? k + order : 2 * k + order) % 3] = random.below(2) == 0 ? 1 : -1;
    auto whole = [&] { return double(random.below(20)) + 20; };
    Vec3d at = {whole(), whole(), whole()}, source = {whole(), whole(), whole()};
    Vec3d dest = {whole() - 30, whole() - 30, whole() - 30};
    double radius = 0.5 * double(random.below(12));
    std::string row = fmt::format("EditCopy,{},{},{},{},{},{},{},{},{},{}", at.x, at.y, at.z, source.x,
                                  source.y, source.z, dest.x, dest.y, dest.z, radius);
    for (auto& line : matrix)
      for (double entry : line) row += fmt::format(",{:.6f}", entry == 0 ? -0.0 : entry);
    EXPECT_EQ(map_of(replayed_edit<edit::CopyEdit>(row + ",false,1.000000")),
              map_as_recorded(at, source, dest, radius, matrix));
  }
}

TEST(ReplayCsv, ASwizzleTurnsTheMatrixToo) {
  std::string row = "EditCopy,30,31,35,25,26,27,1,2,3,4,0,-1,0,1,0,0,0,0,1,false,1";
  edit::CopyEdit plain = replayed_edit<edit::CopyEdit>(row),
                 swizzled = replayed_edit<edit::CopyEdit>(row, {.swizzle = {2, 0, 1}});
  Map expected;
  auto permuted = [](std::tuple<int, int, int> v) {
    auto [x, y, z] = v;
    return std::tuple(z, x, y);
  };
  for (auto [to, from] : map_of(plain)) expected[permuted(to)] = permuted(from);
  EXPECT_EQ(map_of(swizzled), expected);
}

TEST(ReplayCsv, WhatAnEditCannotDoIsAnError) {
  std::string row = "Undo\nEditCopy,30,31,35,25,26,27,1,2,3,4,";
  EXPECT_EQ(replay_error(row + "1,0,0,0,1,0,0,0,1,true,1"),
            "r.csv:2:54: the copy is twisted, which an edit cannot do");
  EXPECT_NE(replay_error(row + "0.7,-0.7,0,0.7,0.7,0,0,0,1,false,1")
                .find("r.csv:2:36: the copy is scaled, or rotated"),
            std::string::npos);
  EXPECT_NE(replay_error(row + "2,0,0,0,2,0,0,0,2,false,1").find("the copy is scaled"), std::string::npos);
  EXPECT_NE(replay_error(row + "1,0.5,0,0,1,0,0,0,1,false,1").find("the copy is scaled"), std::string::npos);
  EXPECT_NE(replay_error(row + "1,0,0,1,0,0,0,0,1,false,1").find("the copy is scaled"), std::string::npos);
}

TEST(ReplayCsv, BadRowsSayWhere) {
  EXPECT_EQ(replay_error("Undo\nEditSpere,1,1,1,1,true"),
            "r.csv:2:1: 'EditSpere' is not a row of a recording (did you mean 'EditSphere'?)");
  EXPECT_EQ(replay_error("EditSphere,1,1,1,true"), "r.csv:1:1: 4 cells follow 'EditSphere', expected 5");
  EXPECT_EQ(replay_error("EditSphere,1,1,1,1,true,9"), "r.csv:1:1: 6 cells follow 'EditSphere', expected 5");
  EXPECT_NE(replay_error("EditCopy,900000,0,0,-900000,0,0,900000,0,0,4").find("r.csv:1:1: lies beyond"),
            std::string::npos);
  EXPECT_EQ(replay_error("EditCopy,1,1"), "r.csv:1:1: 2 cells follow 'EditCopy', expected 10 or 21");
  EXPECT_EQ(replay_error("EditSphere,1,x,1,1,true"), "r.csv:1:14: 'x' is no number");
  EXPECT_EQ(replay_error("EditSphere,1,1,1,1,yes"), "r.csv:1:20: expected true or false, not 'yes'");
  EXPECT_NE(replay_error("EditSphere,1,1,1,-1,true").find("r.csv:1:18: '-1' is no radius"),
            std::string::npos);
  EXPECT_NE(replay_error("EditSphere,1,1,1,nan,true"), "");
  EXPECT_NE(replay_error("EditSphere,1,1,1,1e300,true"), "");
  EXPECT_NE(replay_error("EditSphere,1e7,1,1,1,true").find("r.csv:1:12: lies beyond"), std::string::npos);
  EXPECT_NE(replay_error("EditSphere,,1,1,1,true").find("'' is no number"), std::string::npos);
  EXPECT_NE(replay_error(std::string("Undo\n\0", 6)).find("is no text file"), std::string::npos);
}

TEST(ReplayCsv, WithoutMaterialsPaintIsLeftOutWithAWarning) {
  testing::internal::CaptureStderr();
  edit::Script script = replayed("EditPaint,1,2,3,4\nUndo\nEditPaint,1,2,3,4\n", {.materials = false});
  EXPECT_EQ(script.commands.size(), 1u);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("2 rows that paint are left out"), std::string::npos);
}

TEST(ReplayCsv, OptionsAreReadFromText) {
  EXPECT_EQ(parse_replay_scale("4").numerator, 4);
  EXPECT_EQ(parse_replay_scale("0.25").numerator, 0.25);
  EXPECT_EQ(parse_replay_scale("2/3").denominator, 3);
  for (const char* text : {"", "0", "-1", "1/0", "a", "1/2/3", "1e999", "4x"})
    EXPECT_THROW(parse_replay_scale(text), UsageError) << text;
  EXPECT_EQ(parse_replay_swizzle("xzy"), (std::array<uint8_t, 3>{0, 2, 1}));
  for (const char* text : {"", "xy", "xyx", "xyzx", "xyw"})
    EXPECT_THROW(parse_replay_swizzle(text), UsageError) << text;
  EXPECT_EQ(parse_replay_shift("1,-2.5,3e2"), (Vec3d{1, -2.5, 300}));
  for (const char* text : {"", "1,2", "1,2,3,4", "1,2,x", "1,2,1e999"})
    EXPECT_THROW(parse_replay_shift(text), UsageError) << text;
  EXPECT_TRUE(is_replay_path("a/b.CSV"));
  EXPECT_FALSE(is_replay_path("a.csv/b.txt"));
}

TEST(ReplayCsv, TheSharedRecordingsAreRead) {
  const char* shared = std::getenv("VOX_SHARED");
  std::filesystem::path folder = std::filesystem::path(shared ? shared : "") / "data/replays";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared recordings";
  auto commands = [&](const char* name) { return read_replay_csv(folder / name, {}).commands; };
  EXPECT_EQ(commands("epiccitadel_large_edits.csv").size(), 12u);
  EXPECT_EQ(commands("epiccitadel_edits_short.csv").size(), 15u);
  EXPECT_EQ(commands("replay_edits_add.csv").size(), 57u);
  EXPECT_EQ(commands("replay_edits_remove.csv").size(), 57u);
  auto copies = commands("scene64k_tree_copy.csv");
  EXPECT_EQ(copies.size(), 596u);
  EXPECT_EQ(copies.back().frame, 596u);
}

// Rules that give names of a mesh numbers.

class AssignRules : public testing::Test {
 protected:
  std::vector<scene::AssignRule> read(const std::string& text) const {
    std::ofstream(file_, std::ios::binary) << text;
    return read_assign_rules(file_);
  }
  std::string problem(const std::string& text) const {
    try {
      read(text);
      return "none";
    } catch (const Error& error) {
      return error.what();
    }
  }

  const TestFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "rules.csv";
};

TEST_F(AssignRules, HaveAPatternANumberAndMayHaveAName) {
  const auto rules = read("\xef\xbb\xbf# numbers\n\n wall *, 3 ,concrete\r\n?door,15\nwalls,3\n");
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules[0].pattern, "wall *");
  EXPECT_EQ(rules[0].number, 3);
  EXPECT_EQ(rules[1].pattern, "?door");
  EXPECT_EQ(rules[1].number, 15);
  EXPECT_EQ(rules[1].name, "");
  for (const size_t i : {0u, 2u}) EXPECT_EQ(rules[i].name, "concrete");
}

TEST_F(AssignRules, AreRefusedWithTheirLine) {
  EXPECT_NE(problem("a,1\nb\n").find("rules.csv:2:1: 1 cell, expected 2 or 3"), std::string::npos);
  EXPECT_NE(problem("a,1,b,c\n").find("rules.csv:1:1: 4 cells"), std::string::npos);
  EXPECT_NE(problem("\na,1\n,2\n").find("rules.csv:3:1: the pattern is empty"), std::string::npos);
  for (const char* number : {"0", "16", "-1", "x", "", "1.5", "99999999999999999999"})
    EXPECT_NE(problem("a," + std::string(number) + "\n").find("rules.csv:1:3: the number is '"),
              std::string::npos)
        << number << ": " << problem("a," + std::string(number) + "\n");
  EXPECT_NE(problem("a,1,one\nb,1,two\n").find("number 1 is called 'two' here and 'one' in line 1"),
            std::string::npos);
  EXPECT_NE(problem("# nothing\n").find("has no rule"), std::string::npos);
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "a,1\n";
  EXPECT_EQ(read(many).size(), 100'000u);
  EXPECT_NE(problem(many + "a,1\n").find("rules.csv:100001:1: more than 100000 rules"), std::string::npos);
  EXPECT_NE(problem("").find("rules.csv"), std::string::npos);
}

}  // namespace
}  // namespace vox
