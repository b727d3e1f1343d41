// Tests vox-edit with good input and bad.
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "formats/scene/scene_file.h"
#include "libvox/hash/table_options.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

TEST_F(EditProgram, WritesTheEditedScene) {
  const dag::VoxelScene before = read_scene(folder_ / "cube.h5"), after = edited(kBox);
  EXPECT_EQ(after.dag.voxels, before.dag.voxels + 64);
  EXPECT_EQ(after.origin, before.origin);
  EXPECT_EQ(after.voxel_size, before.voxel_size);
  EXPECT_EQ(after.source, before.source);
  EXPECT_TRUE(has(after.command, "cube.h5 -s script.txt -o edited.h5")) << after.command;
  EXPECT_NE(after.dag.digest, before.dag.digest);
}

TEST_F(EditProgram, WritesNothingWithoutAnOutput) {
  write("script.txt", kBox + "save saved.h5\n");
  const auto before = listing(folder_);
  const Finished run = ran({"cube.h5", "--script", "script.txt"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(run.out, "box add")) << run.out;
  EXPECT_TRUE(has(run.err, "script.txt:2: 'saved.h5' is not written")) << run.err;
  EXPECT_TRUE(listing(folder_) == before);
}

TEST_F(EditProgram, AScriptWithoutCommandsWritesTheSceneItself) {
  EXPECT_EQ(edited("# nothing\n\n").dag.digest, read_scene(folder_ / "cube.h5").dag.digest);
}

TEST_F(EditProgram, TheHistoryOfTheFileGrowsWithEveryRun) {
  const dag::VoxelScene first = edited(kBox, "first.h5");
  ASSERT_EQ(first.history.size(), 1u);
  EXPECT_EQ(first.history[0].script, kBox);
  EXPECT_EQ(first.history[0].digest, first.dag.digest);
  EXPECT_EQ(first.history[0].time, first.created);
  const dag::VoxelScene second = edited("undo\nclear", "second.h5", {}, "first.h5");
  ASSERT_EQ(second.history.size(), 2u);
  EXPECT_EQ(second.history[0].script, kBox);
  EXPECT_EQ(second.history[0].digest, first.dag.digest);
  EXPECT_EQ(second.history[1].script, "undo\nclear");
  EXPECT_EQ(second.history[1].digest, second.dag.digest);
  EXPECT_TRUE(second.dag.empty());
  EXPECT_TRUE(has(converted({"second.h5", "--info"}), "edited 2 times"));
}

TEST_F(EditProgram, SavesOnTheWay) {
  const dag::VoxelScene end =
      edited(kBox + "save middle.h5\nclear box min 0,0,0 max 64,64,64\nsave empty.h5\nundo\n");
  expect_correct("middle.h5");
  const dag::VoxelScene middle = read_scene(folder_ / "middle.h5");
  EXPECT_EQ(middle.dag.digest, end.dag.digest);
  EXPECT_EQ(middle.history.at(0).script, kBox + "save middle.h5\n");
  EXPECT_TRUE(read_scene(folder_ / "empty.h5").dag.empty());
}

TEST_F(EditProgram, ASaveInABatchHoldsAllEditsBeforeIt) {
  std::string text;
  for (int i = 0; i < 5; ++i)
    text += "box add min " + std::to_string(8 * i + 8) + ",20,20 max " + std::to_string(8 * i + 10) +
            ",22,22 material 1\n";
  const dag::VoxelScene scene = edited(text + "save middle.h5\n", "edited.h5", {"--batch", "100"});
  EXPECT_EQ(read_scene(folder_ / "middle.h5").dag.digest, scene.dag.digest);
  EXPECT_EQ(scene.dag.voxels, read_scene(folder_ / "cube.h5").dag.voxels + 40);
}

TEST_F(EditProgram, TheOutputMayBeTheInputWhichIsReplacedInTheEndOnly) {
  const std::string before = read_bytes(folder_ / "cube.h5");
  write("fails.txt", kBox + "fill seed 30,30,30 material 1 limit 10\n");
  expect_failure(kFailed, "fails.txt:2: a fill reaches", {"cube.h5", "-s", "fails.txt", "-o", "cube.h5"});
  EXPECT_TRUE(read_bytes(folder_ / "cube.h5") == before);
  const uint64_t voxels = read_scene(folder_ / "cube.h5").dag.voxels;
  EXPECT_EQ(edited(kBox, "cube.h5").dag.voxels, voxels + 64);
  expect_failure(kBadUsage, "--checkpoint",
                 {"cube.h5", "-s", "script.txt", "-o", "cube.h5", "--checkpoint", "1"});
  write("brush.txt", "stamp bare.h5 at 0,0,0\n");
  expect_failure(kBadUsage, "-o is './bare.h5', which is read, and which --checkpoint",
                 {"bare.h5", "-s", "brush.txt", "-o", "./bare.h5", "--checkpoint", "1"});
  converted({"bare.h5", "-o", "brush.h5"});
  write("brush.txt", "stamp brush.h5 at 0,0,0\n");
  expect_failure(kBadUsage, "-o is 'brush.h5', which is read, and which --checkpoint",
                 {"bare.h5", "-s", "brush.txt", "-o", "brush.h5", "--checkpoint", "1"});
}

TEST_F(EditProgram, NothingIsSavedOverWhatTheRunReadsOrAsWhatItIsNot) {
  write("wrong.txt", kBox + "save cube.h5\n");
  expect_failure(kFailed, "wrong.txt:2:1: 'cube.h5' is read by this run",
                 {"cube.h5", "-s", "wrong.txt", "-o", "x.h5"});
  expect_failure(kFailed, "wrong.txt:2:1: ", {"cube.h5", "-s", "wrong.txt", "--check"});
  write("wrong.txt", "save wrong.txt\n");
  expect_failure(kFailed, "ends in .h5", {"cube.h5", "-s", "wrong.txt", "-o", "x.h5"});
  write("wrong.txt", "stamp cube.h5 at 0,0,0\nsave ./cube.h5\n");
  expect_failure(kFailed, "wrong.txt:2:1: ", {"bare.h5", "-s", "wrong.txt", "-o", "x.h5"});
  write("wrong.txt", "save log.h5\n");
  expect_failure(kFailed, "written as --log",
                 {"cube.h5", "-s", "wrong.txt", "-o", "x.h5", "--log", "log.h5"});
}

// A checkpoint is not the end: later commands that are not edits count too.
TEST_F(EditProgram, TheLastStateIsWrittenAlsoBehindACheckpoint) {
  const std::string undo = kBox + kBox + "clear\nundo\n";
  EXPECT_EQ(edited(undo, "edited.h5", {"--checkpoint", "1"}).dag.digest, edited(kBox).dag.digest);
  EXPECT_EQ(edited(undo, "edited.h5", {"--checkpoint", "3"}).dag.digest, edited(kBox).dag.digest);
}

// The next tests are about crashes and interrupts.

// This script takes minutes.
const std::string kEndless =
    "repeat 1000000 jitter 20 seed 3\n  sphere add center 30,30,30 radius 9 noise 3 material 1\nend\n";

TEST_F(EditProgram, AnInterruptKeepsTheLastCheckpointAndNothingElse) {
  write("endless.txt", kEndless);
  const Finished run =
      ran({"cube.h5", "-s", "endless.txt", "-o", "out.h5", "--checkpoint", "50"},
          {.folder = {}, .file_size_limit = {}, .signal_when_exists = "out.h5", .signal = SIGINT});
  EXPECT_EQ(run.code, kInterrupted) << run.err;
  EXPECT_TRUE(one_error(run, "interrupted", "vox-edit")) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(has(run.err, "out.h5 holds the scene after ")) << run.err;
  expect_correct("out.h5");
  EXPECT_EQ(read_scene(folder_ / "out.h5").history.size(), 1u);
  EXPECT_EQ(listing(folder_).size(), 5u);  // cube.obj, cube.h5, bare.h5, endless.txt, out.h5
  EXPECT_EQ(edited("clear", "cleared.h5", {}, "out.h5").history.size(), 2u);
}

TEST_F(EditProgram, AnInterruptWithoutACheckpointLeavesNothing) {
  write("endless.txt", kEndless);
  expect_failure(kInterrupted, "interrupted",
                 {"cube.h5", "-s", "endless.txt", "-o", "out.h5", "--log", "x.h5"},
                 {.folder = {}, .file_size_limit = {}, .interrupt_after = 0.4});
}

TEST_F(EditProgram, ACrashKeepsTheLastCheckpoint) {
  write("endless.txt", kEndless);
  const Finished run =
      ran({"cube.h5", "-s", "endless.txt", "-o", "out.h5", "--checkpoint", "7"},
          {.folder = {}, .file_size_limit = {}, .signal_when_exists = "out.h5", .signal = SIGKILL});
  EXPECT_EQ(run.signal, SIGKILL);
  expect_correct("out.h5");
}

TEST_F(EditProgram, ADiskThatIsFullLeavesTheTargetAsItWas) {
  write("script.txt", kBox);
  write("old.h5", "kept");
  const RunOptions full = {.folder = {}, .file_size_limit = 4000};
  expect_failure(kFailed, "old.h5", {"cube.h5", "-s", "script.txt", "-o", "old.h5", "--force"}, full);
}

// The next tests are about wrong scripts.

TEST_F(EditProgram, ScriptsThatCannotBeRead) {
  std::filesystem::create_directory(folder_ / "folder.txt");
  write("binary.txt", std::string("sphere\0add", 10));
  expect_failure(kFailed, "missing.txt: ", {"cube.h5", "-s", "missing.txt"});
  expect_failure(kFailed, "folder.txt: ", {"cube.h5", "-s", "folder.txt"});
  expect_failure(kFailed, "binary.txt: ", {"cube.h5", "-s", "binary.txt"});
  expect_failure(kFailed, "missing.h5: no such file", {"missing.h5", "-s", "binary.txt"});
  expect_failure(kFailed, "cube.obj: is no HDF5 file", {"cube.obj", "-s", "binary.txt"});
}

TEST_F(EditProgram, ScriptsThatMakeNoSense) {
  expect_bad_script("bad.txt: the file is empty", "");
  expect_bad_script("bad.txt:2:1: ", "clear\nspere add center 1,1,1 radius 2 material 1\n");
  expect_bad_script("sphere", "spere add center 1,1,1 radius 2 material 1\n");
  expect_bad_script("bad.txt:1:", "sphere add center 1,1,1 radius 2 material 16\n");
  expect_bad_script("0 to 15", "sphere add center 1,1,1 radius 2 material 16\n");
  expect_bad_script("nan", "sphere add center nan,1,1 radius 2 material 1\n");
  expect_bad_script("1e300", "sphere add center 1,1,1 radius 1e300 material 1\n");
  expect_bad_script("center", "sphere add radius 2 material 1\n");
  expect_bad_script("paint", "sphere paint center 1,1,1 radius 2\n", "bare.h5");
  expect_bad_script("material", "sphere add center 1,1,1 radius 2\n");
  expect_bad_script("snapshot", "restore never\n");
  expect_bad_script("end", "repeat 3\nclear\n");
}

TEST_F(EditProgram, AScriptOfManyMegabytesIsRead) {
  std::string text;
  text.reserve(24 << 20);
  while (text.size() < (20 << 20)) text += "# " + std::string(1000, 'x') + "\n";
  const dag::VoxelScene scene = edited(text + kBox);
  EXPECT_EQ(scene.history.at(0).script.size(), text.size() + kBox.size());
}

// The next tests are about other scenes.

TEST_F(EditProgram, StampsAreCopiedVoxelForVoxelWhateverTheirResolution) {
  write("small.obj", cube_obj());
  converted({"small.obj", "--res", "10", "-q"});
  converted({"small.obj", "--res", "300", "-q", "-o", "large.h5"});
  const uint64_t cube = read_scene(folder_ / "cube.h5").dag.voxels,
                 small = read_scene(folder_ / "small.h5").dag.voxels;
  EXPECT_EQ(edited("stamp small.h5 at 20,20,20\n").dag.voxels, cube + small);
  EXPECT_EQ(edited("clear\nunion small.h5 at 1,2,3\n").dag.voxels, small);
  EXPECT_EQ(edited("stamp small.h5 at 20,20,20\nsubtract small.h5 at 20,20,20\n").dag.voxels, cube);
  EXPECT_EQ(edited("clear\nstamp large.h5 at 0,0,0\n").dag.voxels, uint64_t{3} * 64 * 64 - 3 * 64 + 1);
  EXPECT_EQ(edited("stamp small.h5 at 200,20,20\n").dag.voxels, cube);
}

TEST_F(EditProgram, StampsThatDoNotFitAreNamed) {
  write("text.h5", "no scene");
  std::filesystem::create_directory(folder_ / "scripts");
  for (const std::string command : {"stamp ", "union ", "subtract ", "intersect "}) {
    const std::string at = command == "stamp " ? " at 0,0,0\n" : "\n";
    expect_bad_script("bad.txt:1:1: bare.h5: has no materials", command + "bare.h5" + at);
    expect_bad_script("bad.txt:1:1: cube.h5: has materials", command + "cube.h5" + at, "bare.h5");
    expect_bad_script("bad.txt:2:1: none.h5: no such file", "undo\n" + command + "none.h5" + at);
    expect_bad_script("text.h5: is no HDF5 file", command + "text.h5" + at);
  }
  write("scripts/inside.txt", "stamp ../cube.h5 at 10,10,10\n");  // relative to the script's folder
  EXPECT_EQ(ran({"cube.h5", "-s", "scripts/inside.txt"}).code, 0);
}

TEST_F(EditProgram, ScenesWithoutMaterialsAreEdited) {
  const uint64_t voxels = read_scene(folder_ / "bare.h5").dag.voxels;
  const dag::VoxelScene scene = edited(
      "box add min 20,20,20 max 24,24,24\nsphere remove center 22,22,22 radius 1\n", "x.h5", {}, "bare.h5");
  EXPECT_GT(scene.dag.voxels, voxels);
  EXPECT_LT(scene.dag.voxels, voxels + 64);
  EXPECT_FALSE(scene.dag.materials);
  EXPECT_EQ(scene.palette.count, 0u);
}

TEST_F(EditProgram, ThePaletteGetsEntriesForNewMaterials) {
  const dag::VoxelScene before = read_scene(folder_ / "cube.h5");
  ASSERT_EQ(before.palette.count, 1u);
  const dag::VoxelScene after = edited(kBox);
  ASSERT_EQ(after.palette.count, 4u);
  EXPECT_EQ(after.palette.colors[0], before.palette.colors[0]);
  EXPECT_EQ(after.palette.names[3], "material 3");
  EXPECT_FALSE(after.palette.colors[2] == after.palette.colors[3]);
  EXPECT_EQ(after.shares, before.shares);
}

TEST_F(EditProgram, ThePaletteGetsEntriesOfTheScenesThatAreStamped) {
  write("colors.gpl", "GIMP Palette\n#\n255 0 0 red\n0 0 255 blue\n");
  converted({"cube.obj", "--res", "16", "--palette", "colors.gpl", "-q", "-o", "colored.h5"});
  const dag::VoxelScene brush = read_scene(folder_ / "colored.h5"),
                        after =
                            edited("stamp colored.h5 at 20,20,20\nbox add min 0,0,0 max 9,9,9 material 2\n");
  ASSERT_EQ(brush.palette.count, 2u);
  ASSERT_EQ(after.palette.count, 3u);
  EXPECT_EQ(after.palette.colors[1], brush.palette.colors[1]);
  EXPECT_EQ(after.palette.names[1], "blue");
  EXPECT_EQ(after.palette.names[2], "material 2");
}

// The next tests are about the command line.

TEST_F(EditProgram, CommandLinesThatMakeNoSense) {
  write("script.txt", kBox);
  write("recording.csv", "EditSphere,10,10,10,3,TRUE\n");
  expect_failure(kBadUsage, "scene", {});
  expect_failure(kBadUsage, "--script", {"cube.h5"});
  expect_failure(kBadUsage, "bare.h5", {"cube.h5", "bare.h5", "-s", "script.txt"});
  for (const char* batch : {"0", "-1", "many", "100000"})
    expect_failure(kBadUsage, "--batch", {"cube.h5", "-s", "script.txt", "--batch", batch});
  expect_failure(kBadUsage, "--checkpoint", {"cube.h5", "-s", "script.txt", "--checkpoint", "5"});
  expect_failure(kBadUsage, "--checkpoint",
                 {"cube.h5", "-s", "script.txt", "-o", "x.h5", "--checkpoint", "0"});
  expect_failure(kBadUsage, "--scale", {"cube.h5", "-s", "script.txt", "--scale", "2"});
  expect_failure(kBadUsage, "--scale", {"cube.h5", "-s", "recording.csv", "--scale", "0"});
  expect_failure(kBadUsage, "--material", {"cube.h5", "-s", "recording.csv", "--material", "16"});
  expect_failure(kBadUsage, "--table", {"cube.h5", "-s", "script.txt", "--table", "round"});
  expect_failure(kBadUsage, "x.vox", {"cube.h5", "-s", "script.txt", "-o", "x.vox"});
  expect_failure(kBadUsage, "script.txt", {"cube.h5", "-s", "script.txt", "-o", "script.txt"});
  expect_failure(kBadUsage, "--log", {"cube.h5", "-s", "script.txt", "--log", "x.txt"});
  expect_failure(kBadUsage, "--log", {"cube.h5", "-s", "script.txt", "--log", "cube.h5"});
  expect_failure(kBadUsage, "--log", {"cube.h5", "-s", "script.txt", "--log", "x.h5", "-o", "./x.h5"});
  expect_failure(kBadUsage, "--log", {"cube.h5", "-s", "recording.csv", "--log", "recording.csv"});
}

TEST_F(EditProgram, TargetsThatCannotBeWrittenAreFoundBeforeTheWork) {
  std::filesystem::create_directory(folder_ / "folder.h5");
  write("script.txt", kBox);
  for (const char* target : {"missing/x.h5", "folder.h5", "cube.obj/x.h5", "/proc/x.h5"})
    for (const char* option : {"-o", "--log"}) {
      expect_failure(kFailed, target, {"cube.h5", "-s", "script.txt", option, target});
      EXPECT_FALSE(has(ran({"cube.h5", "-s", "script.txt", option, target}).err, "commands"));
    }
  write("script.txt", kBox + "save missing/x.h5\n");
  expect_failure(kFailed, "script.txt:2:1: missing/x.h5: ", {"cube.h5", "-s", "script.txt", "-o", "x.h5"});
}

TEST_F(EditProgram, HelpTeachesTheLanguageInLinesOf100Characters) {
  const std::string help = printed({"--help", "all"});
  for (const char* part : {"sphere", "SHAPE add", "rotate", "undo", "gc every", "repeat N", "EXAMPLE",
                           "--batch N", "--html", "--swizzle", "--device", "--json"})
    EXPECT_TRUE(has(help, part)) << part;
  for (size_t at = 0, end; (end = help.find('\n', at)) != std::string::npos; at = end + 1)
    EXPECT_LE(end - at, 101u) << help.substr(at, end - at);
}

// The next tests run the same edits in several ways, with the same result.

const std::string kManyEdits =
    "gc every 7\n"
    "repeat 60 jitter 26 seed 5\n  sphere add center 32,32,32 radius 4 noise 1 material 5\nend\n"
    "snapshot spheres\n"
    "repeat 20 step 3,0,0\n  box remove min 0,20,0 max 2,44,64\nend\n"
    "undo 7\nredo 2\nsave some.h5\n"
    "dilate steps 2 in sphere center 32,32,32 radius 20\n"
    "copy min 1,2,3 max 40,50,60 to 11,5,0 rotate y 90 skip-empty\n"
    "gc\nfill seed 0,0,0 material 9 limit 1000000\nrestore spheres\nundo\n";

TEST_F(EditProgram, GivesOneDigestForEveryBatchSizeThreadCountAndTable) {
  const dag::Digest expected = edited(kManyEdits).dag.digest,
                    some = read_scene(folder_ / "some.h5").dag.digest;
  std::vector<std::vector<std::string>> variants = {
      {"--batch", "100"},     {"--batch", "3"},
      {"--threads", "1"},     {"--threads", "2", "--batch", "1024"},
      {"--checkpoint", "10"}, {"--memory-limit", "2G"}};
  for (const std::string& table : hash::table_names()) variants.push_back({"--table", table, "--batch", "8"});
  for (const std::vector<std::string>& options : sampled(variants)) {
    EXPECT_EQ(edited(kManyEdits, "variant.h5", options).dag.digest, expected)
        << testing::PrintToString(options);
    EXPECT_EQ(read_scene(folder_ / "some.h5").dag.digest, some) << testing::PrintToString(options);
  }
}

// Half of what the limit leaves is less than the scene's words.
TEST_F(EditProgram, OfASceneThatDoesNotFitIntoMemoryAPartIsLoaded) {
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "20K", "--texture-size", "256", "-o", "ball.obj"}).code, 0);
  converted({"ball.obj", "--res", "2K", "-q"});
  write("few.txt",
        "sphere add center 1000,1900,1000 radius 30 material 3\n"
        "box remove min 900,1800,900 max 1100,1950,950\nsave some.h5\nundo\n"
        "copy min 1000,1850,1000 max 1050,2000,1050 to 1060,1900,1000\n");
  const auto edited_in = [&](const std::string& to, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"ball.h5", "-s", "few.txt", "-o", to};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished run = ran(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    expect_correct(to);
    return std::pair(read_scene(folder_ / to).dag.digest, has(run.err, "only the part from"));
  };
  const auto [whole, is_part] = edited_in("whole.h5", {});
  const dag::Digest some = read_scene(folder_ / "some.h5").dag.digest;
  EXPECT_FALSE(is_part);
  EXPECT_EQ(edited_in("part.h5", {"--memory-limit", "64M"}), std::pair(whole, true));
  EXPECT_EQ(read_scene(folder_ / "some.h5").dag.digest, some);
  // Everything is touched.
  write("few.txt", "clear\n");
  EXPECT_FALSE(edited_in("empty.h5", {}).second);
}

TEST_F(EditProgram, PlaysRecordings) {
  const std::string recording =
      "SetLocation,1,2,3\nEditSphere,10,20,30,4,TRUE,,,\nEndFrame\nEditSphere,40,40,40,5,"
      "TRUE\nUndo\nEndFrame\n";
  write("recording.csv", recording);
  printed({"cube.h5", "-s", "recording.csv", "-o", "played.h5", "--material", "6", "--swizzle", "xzy",
           "--scale", "1/2", "--shift", "20,0,0", "-q"});
  expect_correct("played.h5");
  const dag::VoxelScene played = read_scene(folder_ / "played.h5"),
                        written = edited("sphere add center 25,15,10 radius 2 material 6\n");
  EXPECT_EQ(played.dag.digest, written.dag.digest);
  EXPECT_EQ(played.palette.count, 7u);
  ASSERT_EQ(played.history.size(), 1u);
  EXPECT_TRUE(has(played.history[0].script, "--swizzle xzy --scale 1/2 --shift 20,0,0"))
      << played.history[0].script;
  EXPECT_TRUE(played.history[0].script.ends_with("\n" + recording)) << played.history[0].script;
}

// The next tests are about the reports.

}  // namespace
}  // namespace vox
