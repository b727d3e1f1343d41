// Tests vox-convert SCENE --res, which makes coarser levels of a scene file.
#include "formats/scene/scene_file.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class CoarserProgram : public CubesTest {
 protected:
  // Makes a coarser scene of cube.h5 with further options, and verifies it.
  dag::VoxelScene coarser(const std::vector<std::string>& more, const std::string& name = "small.h5") {
    std::vector<std::string> arguments = {"cube.h5", "-o", name, "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    converted(arguments);
    EXPECT_NE(converted({"--verify", name}).find("correct"), std::string::npos);
    return read_scene(folder_ / name);
  }
};

TEST_F(CoarserProgram, FillsAVoxelWhereAnyBelowIsAndSaysSoOfTheWholeScene) {
  const dag::VoxelScene before = read_scene(folder_ / "cube.h5");
  const dag::VoxelScene after = coarser({"--res", "16"});
  EXPECT_EQ(after.dag.resolution, 16u);
  EXPECT_EQ(after.dag.voxels, 16u * 16 * 16 - 14 * 14 * 14);  // a shell of one voxel
  EXPECT_EQ(after.voxel_size, 4 * before.voxel_size);
  EXPECT_EQ(after.origin, before.origin);
  EXPECT_EQ(after.source, before.source);
  EXPECT_EQ(after.coverage, before.coverage);
  EXPECT_EQ(after.palette.count, before.palette.count);
  EXPECT_EQ(after.shares, before.shares);
  EXPECT_NE(after.command.find("cube.h5 -o small.h5 -q --res 16"), std::string::npos) << after.command;
  EXPECT_NE(converted({"small.h5", "--info"}).find("16 voxels along the longest side"), std::string::npos);
}

TEST_F(CoarserProgram, KeepsTheHistoryOfAnEditedScene) {
  write("script.txt", "clear\nbox add min 1,1,1 max 3,2,2 material 2\n");
  ASSERT_EQ(run_program("vox-edit", {"cube.h5", "-s", "script.txt", "-o", "cube.h5"},
                        {.folder = folder_, .file_size_limit = {}})
                .code,
            0);
  const dag::VoxelScene after = coarser({"--res", "32"});
  EXPECT_EQ(after.dag.voxels, 2u);
  ASSERT_EQ(after.history.size(), 1u);
  EXPECT_EQ(after.history[0].digest, read_scene(folder_ / "cube.h5").dag.digest);
}

TEST_F(CoarserProgram, ExportsWhatItsSceneFileWouldExport) {
  coarser({"--res", "32"});
  for (const std::string extension : {".vox", ".nrrd", ".binvox"}) {
    converted({"cube.h5", "--res", "32", "-o", "direct" + extension, "-q"});
    converted({"small.h5", "-o", "twice" + extension, "-q"});
    EXPECT_TRUE(read_bytes(folder_ / ("direct" + extension)) == read_bytes(folder_ / ("twice" + extension)))
        << extension;
  }
}

TEST_F(CoarserProgram, MakesBricksOfTheCoarserSceneWhereAsked) {
  converted({"cube.h5", "--structure", "both", "-o", "both.h5", "-q"});
  coarser({"--res", "16", "--structure", "both", "--verify"});
  EXPECT_TRUE(scene_file_parts(folder_ / "small.h5").bricks);
  EXPECT_EQ(read_bricks(folder_ / "small.h5").info.size, (Int3{16, 16, 16}));
  const Finished run = convert({"both.h5", "--res", "16", "-o", "without.h5"});
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.err.find("the bricks are left out"), std::string::npos) << run.err;
  EXPECT_FALSE(scene_file_parts(folder_ / "without.h5").bricks);
}

TEST_F(CoarserProgram, GivesOneDigestForEveryThreadCount) {
  const dag::Digest digest = coarser({"--res", "8"}).dag.digest;
  EXPECT_EQ(coarser({"--res", "8", "--threads", "1"}).dag.digest, digest);
  const std::string json = converted({"cube.h5", "--res", "8", "-o", "small.h5", "--json"});
  EXPECT_EQ(json_value(json, "digest"), "\"" + dag::to_string(digest) + "\"");
  EXPECT_EQ(json_value(json, "file"), "\"small.h5\"");
}

TEST_F(CoarserProgram, RefusesOtherResolutionsAndNamesTheNearest) {
  for (const auto& [res, nearest] : {std::pair<const char*, const char*>{"64", "nearest is 32"},
                                     {"25", "are 32, 16, 8, 4; the nearest is 32"},
                                     {"23", "nearest is 16"},
                                     {"5", "nearest is 4"},
                                     {"1M", "nearest is 32"}})
    expect_failure(kBadUsage, nearest, {"cube.h5", "--res", res, "-o", "small.h5"});
  converted({"cube.obj", "--res", "4", "-o", "tiny.h5", "-q"});
  expect_failure(kBadUsage, "no coarser level", {"tiny.h5", "--res", "4", "-o", "small.h5"});
}

TEST_F(CoarserProgram, NeedsAnOutputThatIsNotTheScene) {
  expect_failure(kBadUsage, "-o says where to", {"cube.h5", "--res", "32"});
  expect_failure(kBadUsage, "no effect on --verify", {"cube.h5", "--res", "32", "--verify"});
  expect_failure(kBadUsage, "no effect on --info", {"cube.h5", "--res", "32", "--info"});
  expect_failure(kBadUsage, "would replace", {"cube.h5", "--res", "32", "-o", "./cube.h5"});
}

}  // namespace
}  // namespace vox
