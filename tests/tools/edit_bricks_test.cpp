// Tests vox-edit on files with bricks beside the SVDAG.
#include "formats/scene/scene_file.h"
#include "libvox/bricks/types/types.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class EditBricks : public CubesTest {
 protected:
  EditBricks() : CubesTest("vox-edit") {}

  void SetUp() override {
    CubesTest::SetUp();
    if (!folder_.empty()) write("script.txt", "box add min 20,20,20 max 24,24,24 material 3\n");
  }

  // Makes both.h5, whose bricks are made with these options.
  void make_both(const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"cube.h5", "--structure", "both", "-o", "both.h5", "-q"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    converted(arguments);
  }
  // Returns the bricks of both.h5 after the script, compared with the scene.
  bricks::FrozenBricks edited_bricks(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"both.h5", "-s", "script.txt", "-o", "edited.h5", "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    printed(arguments);
    EXPECT_NE(converted({"--verify", "edited.h5"}).find("correct"), std::string::npos);
    return read_bricks(folder_ / "edited.h5");
  }
  // Returns the bricks that vox-convert makes from the edited scene.
  bricks::FrozenBricks expected_bricks(const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"edited.h5", "--structure", "bricks", "-o", "expected.h5", "-q"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    converted(arguments);
    return read_bricks(folder_ / "expected.h5");
  }
};

TEST_F(EditBricks, AreMadeAgainOfTheSameSizeAndTypes) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--brick-size", "16"},
                                                  {"--brick-size", "8", "--types", "empty,dense,octree,list"},
                                                  {"--brick-size", "4", "--optimize", "speed"}}) {
    SCOPED_TRACE(testing::PrintToString(options));
    make_both(options);
    const bricks::FrozenBricks edited = edited_bricks(), expected = expected_bricks(options);
    EXPECT_EQ(edited.filled, read_scene(folder_ / "edited.h5").dag.voxels);
    EXPECT_EQ(edited.log2_side, expected.log2_side);
    EXPECT_EQ(edited.allowed_types, expected.allowed_types);
    EXPECT_EQ(edited.counts, expected.counts);
    EXPECT_TRUE(edited.root == expected.root);
    for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
      EXPECT_TRUE(edited.data[type] == expected.data[type]) << bricks::BrickTypes::kNames[type];
  }
}

// Measured times decide which bricks are dense, but not how much memory a time is worth.
TEST_F(EditBricks, BetweenMemoryAndSpeedStayThere) {
  make_both({"--brick-size", "8", "--optimize", "balanced=0.5"});
  EXPECT_EQ(edited_bricks().slope, 0.5);
}

TEST_F(EditBricks, AreInWhatAScriptSavesToo) {
  write("script.txt", "clear\nsave empty.h5\nundo\nbox add min 20,20,20 max 24,24,24 material 3\n");
  make_both({});
  edited_bricks({"--checkpoint", "1"});
  EXPECT_NE(converted({"--verify", "empty.h5"}).find("correct"), std::string::npos);
  EXPECT_EQ(read_bricks(folder_ / "empty.h5").filled, 0u);
}

TEST_F(EditBricks, AreInTheResultAsJson) {
  make_both({"--brick-size", "16"});
  const std::string json = printed({"both.h5", "-s", "script.txt", "-o", "edited.h5", "--json"});
  EXPECT_EQ(json_value(json, "bricks.size"), "16");
}

TEST_F(EditBricks, AreLeftOutOnRequestWithALine) {
  make_both({});
  const Finished run = ran({"both.h5", "-s", "script.txt", "-o", "edited.h5", "--drop-bricks"});
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.err.find("the bricks of both.h5 are left out"), std::string::npos) << run.err;
  EXPECT_FALSE(scene_file_parts(folder_ / "edited.h5").bricks);
  expect_failure(kBadUsage, "has no bricks", {"cube.h5", "-s", "script.txt", "-o", "x.h5", "--drop-bricks"});
  expect_failure(kBadUsage, "-o", {"both.h5", "-s", "script.txt", "--drop-bricks"});
}

TEST_F(EditBricks, OfAnotherVolumeAreRefused) {
  converted({"cube.obj", "--res", "32", "--structure", "bricks", "-o", "other.h5", "-q"});
  const bricks::FrozenBricks other = read_bricks(folder_ / "other.h5");
  write_scene(read_scene(folder_ / "cube.h5"), folder_ / "both.h5", {.bricks = &other});
  expect_failure(kFailed, "--drop-bricks", {"both.h5", "-s", "script.txt", "-o", "x.h5"});
}

}  // namespace
}  // namespace vox
