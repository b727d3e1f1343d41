// Tests vox-edit on a volume.
#include <gtest/gtest.h>

#include "formats/scene/scene_file.h"
#include "libvox/bricks/frozen_bricks.h"
#include "tests/common/random.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class EditVolume : public ProgramTest {
 protected:
  EditVolume() : ProgramTest("vox-edit") {}

  void SetUp() override {
    ProgramTest::SetUp();
    if (folder_.empty()) return;
    make_once("edited_volume", [&] {
      std::string values;
      for (int i = 0; i < 20 * 9 * 7; ++i) values += static_cast<char>(i % 101);
      write("some_20x9x7_uint8.raw", values);
      converted({"some_20x9x7_uint8.raw", "--brick-size", "4", "-o", "volume.h5", "-q"});
    });
  }

  static size_t index(Int3 v) {
    return (static_cast<size_t>(v.z) * 9 + static_cast<size_t>(v.y)) * 20 + static_cast<size_t>(v.x);
  }

  std::vector<uint8_t> values(const std::string& name) const {
    const bricks::FrozenBricks bricks = read_bricks(folder_ / name);
    bricks::verify(bricks);
    const std::vector<std::byte> bytes = all_values(bricks::bricks_volume(bricks));
    std::vector<uint8_t> values;
    for (const std::byte byte : bytes) values.push_back(static_cast<uint8_t>(byte));
    return values;
  }
  // Returns the values of volume.h5 after the script.
  std::vector<uint8_t> edited(const std::string& script, const std::vector<std::string>& more = {}) {
    write("script.txt", script);
    std::vector<std::string> arguments = {"volume.h5", "-s", "script.txt", "-o", "edited.h5", "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    printed(arguments);
    EXPECT_TRUE(has(converted({"--verify", "edited.h5"}), "correct"));
    return values("edited.h5");
  }
  void expect_bad_script(const std::string& text, const std::string& script) {
    write("bad.txt", script);
    expect_failure(kFailed, text, {"volume.h5", "--script", "bad.txt", "-o", "x.h5"});
    expect_failure(kFailed, text, {"volume.h5", "--script", "bad.txt", "--check"});
    EXPECT_FALSE(std::filesystem::exists(folder_ / "x.h5"));
  }
};

TEST_F(EditVolume, ChangesTheValuesThatTheScriptNames) {
  const std::vector<uint8_t> before = values("volume.h5");
  const std::vector<uint8_t> after = edited(
      "threshold 10\nadd 200 in box min 4,2,1 max 9,6,4\nscale 0.5 in sphere center 15.5,4.5,3.5 radius 1\n");
  for (int32_t z = 0; z < 7; ++z)
    for (int32_t y = 0; y < 9; ++y)
      for (int32_t x = 0; x < 20; ++x) {
        uint32_t value = before[index({x, y, z})];
        if (value < 10) value = 0;
        if (x >= 4 && x < 9 && y >= 2 && y < 6 && z >= 1 && z < 4) value = std::min(value + 200, 255u);
        if (std::abs(x - 15) + std::abs(y - 4) + std::abs(z - 3) <= 1) value = (value + 1) / 2;
        ASSERT_EQ(after[index({x, y, z})], value) << x << " " << y << " " << z;
      }
}

TEST_F(EditVolume, MasksAreVolumesOfAnyFormat) {
  std::string mask(5 * 4 * 3, '\0');
  mask[0] = mask[59] = 1;
  write("mask_5x4x3_uint8.raw", mask);
  converted({"mask_5x4x3_uint8.raw", "-o", "mask.h5", "-q"});
  for (const std::string file : {"mask.h5", "mask_5x4x3_uint8.raw"}) {
    std::vector<uint8_t> expected = values("volume.h5");
    expected[index({10, 2, 1})] = expected[index({14, 5, 3})] = 7;
    EXPECT_EQ(edited("set 7 mask " + file + " at 10,2,1\n"), expected) << file;
  }
}

TEST_F(EditVolume, RepeatsUndoesAndSaves) {
  std::vector<uint8_t> expected = values("volume.h5");
  const std::vector<uint8_t> before = expected;
  for (int i = 0; i < 3; ++i) expected[index({4 * i + 1, 2, 2})] = 200;
  EXPECT_EQ(
      edited(
          "repeat 3 step 4,0,0\nset 200 in box min 1,2,2 max 2,3,3\nend\nsave saved.h5\nset 1\nundo\nundo 2\n"
          "redo\n"),
      (expected[index({9, 2, 2})] = before[index({9, 2, 2})], expected));
  expected[index({9, 2, 2})] = 200;
  EXPECT_EQ(values("saved.h5"), expected);
}

TEST_F(EditVolume, TheInputMayBeReplacedAndCheckpointsAreWritten) {
  write("script.txt", "set 9\nset 3\n");
  printed({"volume.h5", "-s", "script.txt", "-o", "volume.h5", "-q", "--force"});
  EXPECT_EQ(values("volume.h5"), std::vector<uint8_t>(20 * 9 * 7, 3));
  write("script.txt", "set 9\nset 3\n");
  const Finished run = ran({"volume.h5", "-s", "script.txt", "-o", "c.h5", "--checkpoint", "1"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(values("c.h5"), std::vector<uint8_t>(20 * 9 * 7, 3));
}

TEST_F(EditVolume, SaysWhatWasDone) {
  write("script.txt", "set 9 in box min 0,0,0 max 4,4,4\n");
  const Finished run = ran({"volume.h5", "-s", "script.txt", "--log", "log.csv"});
  EXPECT_TRUE(has(run.out, "1 edit: 64 voxels changed, 1 brick made anew")) << run.out;
  EXPECT_TRUE(has(read_bytes(folder_ / "log.csv"), "1,set,64,1,1,")) << read_bytes(folder_ / "log.csv");
  const std::string json = printed({"volume.h5", "-s", "script.txt", "--json"});
  EXPECT_EQ(json_value(json, "changed_voxels"), "64");
  const std::string checked = printed({"volume.h5", "-s", "script.txt", "--check"});
  EXPECT_TRUE(has(checked, "script.txt: correct: 1 command, 1 edit, 0 without effect inside the volume"))
      << checked;
  write("script.txt", "set 9 in box min 50,0,0 max 54,4,4\n");
  EXPECT_TRUE(has(ran({"volume.h5", "-s", "script.txt", "--check"}).err,
                  "script.txt:1: changes nothing inside the volume"));
}

TEST_F(EditVolume, BadScriptsAndOptionsAreRefused) {
  expect_bad_script("bad.txt:1:1: 'clear' is no command (scenes have this command", "clear\n");
  expect_bad_script("the shape of an edit stands behind it", "sphere add center 1,1,1 radius 2\n");
  expect_bad_script("expected the VALUE to set", "set\n");
  expect_bad_script("'x' is no number", "add x\n");
  expect_bad_script("'at' has no effect without 'mask FILE'", "set 1 at 1,1,1\n");
  expect_bad_script("bad.txt:1:25: ", "set 2 mask none.nrrd at 1.5,0,0\n");
  expect_bad_script("bad.txt:2:1: none.nrrd: no such file", "set 1\nset 2 mask none.nrrd\n");
  expect_bad_script("expected a whole number from 1 to 8", "smooth reach 9\n");
  write("script.txt", "set 1\n");
  for (const std::string option : {"--batch=3", "--html=x.html", "--table=sector"})
    expect_failure(kBadUsage, "has no effect on a volume",
                   {"volume.h5", "-s", "script.txt", option, "-o", "x.h5"});
  write("edits.csv", "EditSphere,1,1,1,1,TRUE\n");
  expect_failure(kBadUsage, "is a recording of edits of scenes",
                 {"volume.h5", "-s", "edits.csv", "-o", "x.h5"});
}

TEST_F(EditVolume, AVolumeOfAnotherProgramIsConvertedFirst) {
  write("script.txt", "set 1\n");
  expect_failure(kFailed, "vox-convert some_20x9x7_uint8.raw -o volume.h5",
                 {"some_20x9x7_uint8.raw", "-s", "script.txt", "-o", "x.h5"});
}

TEST_F(EditVolume, AnEditOfAVolumeIsNoneOfAScene) {
  write("cube.obj", cube_obj());
  converted({"cube.obj", "--res", "8", "-o", "cube.h5", "-q"});
  write("script.txt", "threshold 3\n");
  expect_failure(kFailed, "volumes have this command, but this file holds a scene",
                 {"cube.h5", "-s", "script.txt", "-o", "x.h5"});
}

}  // namespace
}  // namespace vox
