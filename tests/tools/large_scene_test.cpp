// Scenes larger than memory: every tool under a memory limit, and vox-convert --spill.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "formats/images/image.h"
#include "formats/scene/scene_file.h"
#include "libvox/device/devices.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

// The words take more than half of what the limit leaves, so they are read from the file as they are used.
class LargeScene : public ProgramTest {
 protected:
  static constexpr uint64_t kLimit = 64 << 20, kBeyond = 64 << 20;

  explicit LargeScene(std::string texels = "256", std::vector<std::string> made = {"--res", "2K"})
      : texels_(std::move(texels)), made_(std::move(made)) {}

  void SetUp() override {
    ProgramTest::SetUp();
    if (folder_.empty()) return;
    made_.insert(made_.end(), {"ball.obj", "-q"});
    make_once("large_ball_" + texels_, [&] {
      EXPECT_EQ(
          scene({"bumpy-sphere", "--triangles", "20K", "--texture-size", texels_, "-o", "ball.obj"}).code, 0);
      converted(made_);
    });
    std::filesystem::create_directory(folder_ / "whole");
    std::filesystem::create_directory(folder_ / "limited");
  }

  // Runs a program with and without the limit; OUT in an argument is the folder for that run's output. Returns what both
  // print.
  std::pair<std::string, std::string> both(const std::string& program,
                                           const std::vector<std::string>& arguments) const {
    const auto run_into = [&](const std::string& folder, std::vector<std::string> more) {
      for (const std::string& argument : arguments)
        more.push_back(argument.starts_with("OUT/") ? folder + argument.substr(3) : argument);
      return finished(program, std::move(more));
    };
    const Finished whole = run_into("whole", {"ball.h5"});
    const Finished limited = run_into("limited", {"ball.h5", "--memory-limit", std::to_string(kLimit)});
    // On a GPU the limit is for its memory; a sanitizer keeps freed memory for a while.
    if (!test_on_gpu() && kThoroughness > 1) {
      EXPECT_LE(limited.peak_bytes, kLimit + kBeyond) << testing::PrintToString(arguments);
    }
    return {whole.out, limited.out};
  }

  void expect_same_scene(const std::string& program, std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"-o", "OUT/scene.h5"});
    both(program, arguments);
    const dag::FrozenDag whole = read_scene(folder_ / "whole/scene.h5").dag;
    EXPECT_EQ(read_scene(folder_ / "limited/scene.h5").dag.digest, whole.digest)
        << testing::PrintToString(arguments);
    EXPECT_NE(whole.digest, read_scene(folder_ / "ball.h5").dag.digest);
    clear();
  }

  void expect_same_picture(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"-o", "OUT/view.png"});
    both("vox-render", arguments);
    EXPECT_TRUE(read_image(folder_ / "whole/view.png").pixels ==
                read_image(folder_ / "limited/view.png").pixels)
        << testing::PrintToString(arguments);
    clear();
  }

  // Compares the files in a folder of the output. Others name the command.
  void expect_same_files(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& part = ".") const {
    both(program, arguments);
    std::vector<std::string> whole, limited;
    for (const auto& [name, bytes] : listing(folder_ / "whole" / part)) whole.push_back(bytes);
    for (const auto& [name, bytes] : listing(folder_ / "limited" / part)) limited.push_back(bytes);
    EXPECT_FALSE(whole.empty());
    EXPECT_TRUE(whole == limited) << testing::PrintToString(arguments);
    clear();
  }

 private:
  Finished finished(const std::string& program, std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--device", "cpu", "-q"});
    Finished run = run_program(program, arguments, {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(run.code, 0) << testing::PrintToString(arguments) << run.err;
    return run;
  }

  void clear() const {
    for (const char* folder : {"whole", "limited"})
      for (const auto& entry : std::filesystem::directory_iterator(folder_ / folder))
        std::filesystem::remove_all(entry);
  }

  std::string texels_;
  std::vector<std::string> made_;  // the options with which the scene is made
};

// The colors are read from the file as they are used; the DAG is in memory.
class LargeColors : public LargeScene {
 protected:
  LargeColors() : LargeScene("2048", {"--res", "2K", "--materials", "colors"}) {}
};

TEST_F(LargeColors, AreReadAsTheyAreUsed) {
  const Finished run = run_program("vox-render",
                                   {"ball.h5", "--device", "cpu", "--memory-limit", std::to_string(kLimit),
                                    "--size", "64x36", "-o", "view.png", "-v"},
                                   {.folder = folder_, .file_size_limit = {}});
  EXPECT_TRUE(has(run.err, "of colors are read as they are used")) << run.err;
  expect_same_picture({"--size", "160x90", "--lod", "off"});
  expect_same_files("vox-convert", {"--res", "512", "-o", "OUT/coarse.vl32"});
  expect_same_files("vox-convert", {"--clip", "-0.2,0.8,-0.2,0.2,1,0.2", "-o", "OUT/part.ply"});
  const auto [all, parts] = both("vox-stats", {"--only", "scene"});
  EXPECT_EQ(parts, all);
}

TEST_F(LargeScene, IsLookedAt) {
  expect_same_picture({"--size", "320x180", "--lod", "off", "--ao", "2"});
  expect_same_picture({"--slice", "y=1000"});
  expect_same_files("vox-render", {"--html", "OUT/page", "--stream"}, "page/chunks");
}

TEST_F(LargeScene, IsLookedAtWithinTheLimitWhereNoDeviceIsNamed) {
  if (device::gpu_count() > 0) GTEST_SKIP() << "the limit is for the GPU that is found";
  const Finished run =
      run_program("vox-render",
                  {"ball.h5", "--memory-limit", std::to_string(kLimit), "--size", "64x64", "-o", "view.png"},
                  {.folder = folder_, .file_size_limit = {}});
  EXPECT_EQ(run.code, 0) << run.err;
  if (kThoroughness > 1) {
    EXPECT_LE(run.peak_bytes, kLimit + kBeyond);
  }
}

TEST_F(LargeScene, IsVerifiedAndMeasured) {
  const auto [whole, limited] = both("vox-convert", {"--verify"});
  EXPECT_EQ(limited, whole);
  EXPECT_NE(whole.find("correct"), std::string::npos);
  for (const std::string section : {"scene", "materials"}) {
    const auto [all, parts] = both("vox-stats", {"--only", section});
    EXPECT_EQ(parts, all);
  }
}

TEST_F(LargeScene, WhatDoesNotFitIntoMemoryIsPredictedOrLeftOut) {
  if (test_on_gpu()) GTEST_SKIP() << "the limit is for the memory of the GPU";
  const auto [whole, limited] = both("vox-stats", {"--json"});
  EXPECT_NE(json_value(whole, "tables.sector.items_bytes"), "");
  EXPECT_EQ(json_value(limited, "tables.sector.items_bytes"), "");
  const auto predicted = [](const std::string& json) {
    return std::stod(json_value(json, "tables.sector.prediction.total_bytes"));
  };
  EXPECT_NEAR(predicted(limited), predicted(whole), 0.01 * predicted(whole));
  EXPECT_EQ(json_value(limited, "sizes.svdag.bytes"), json_value(whole, "sizes.svdag.bytes"));
  const auto [forms, some] = both("vox-stats", {"--only", "compression", "--json"});
  for (const std::string form : {"octree_masks", "octree_2", "octree_4"})
    EXPECT_EQ(json_value(some, form + ".bytes"), json_value(forms, form + ".bytes")) << form;
  EXPECT_NE(json_value(forms, "entropy_after.bytes"), "");
  EXPECT_EQ(json_value(some, "entropy_after.bytes"), "");
}

TEST_F(LargeScene, IsMadeCoarser) {
  expect_same_scene("vox-convert", {"--res", "256"});
}

TEST_F(LargeScene, IsCut) {
  expect_same_scene("vox-convert", {"--clip", "-0.2,0.8,-0.2,0.2,1,0.2"});
}

TEST_F(LargeScene, IsEdited) {
  write("few.txt", "sphere add center 1000,1900,1000 radius 30 material 3\n");
  expect_same_scene("vox-edit", {"-s", "few.txt"});
}

TEST_F(LargeScene, WithoutAFolderForTemporaryFilesOnlyWhatNeedsOneFails) {
  const auto limited = [&](const std::string& program, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--device", "cpu", "--memory-limit", std::to_string(kLimit)});
    return run_program(
        program, arguments,
        {.folder = folder_, .file_size_limit = {}, .environment = {{"TMPDIR", "/no/such/folder"}}});
  };
  EXPECT_EQ(limited("vox-render", {"ball.h5", "--size", "32x18", "-o", "view.png"}).code, 0);
  const Finished verified = limited("vox-convert", {"ball.h5", "--verify"});
  EXPECT_EQ(verified.code, kFailed);
  EXPECT_TRUE(one_error(verified, "no folder for temporary files"));
}

TEST_F(LargeScene, IsHandedOn) {
  const std::string box = "-0.2,0.8,-0.2,0.2,1,0.2";
  for (const char* name : {"part.nvdb", "part.vox", "part.binvox", "part.nrrd", "part.obj", "part.ply"})
    expect_same_files("vox-convert", {"--clip", box, "-o", std::string("OUT/") + name});
  expect_same_files("vox-convert", {"-o", "OUT/all.nvdb"});
  // 230 million blocks are more than the memory.
  expect_same_files("vox-convert", {"--clip", "-0.3,0.4,-0.3,0.3,1,0.3", "-o", "OUT/part.schem"});
}

// Tests vox-convert --spill, which builds scenes in rounds.

namespace fs = std::filesystem;

class SpillProgram : public LaunchedProgram {
 protected:
  void SetUp() override {
    LaunchedProgram::SetUp();
    if (IsSkipped()) return;
    write("cube.obj", cube_obj());
    fs::create_directory(folder_ / "room");
  }

  // Makes a mesh of a few thousand triangles with a texture.
  void make_sphere() {
    make_once("ball_to_spill", [&] {
      EXPECT_EQ(scene({"bumpy-sphere", "--triangles", "4K", "--texture-size", "256", "-o", "ball.obj"}).code,
                0);
    });
  }
};

TEST_F(SpillProgram, MakesTheFileThatIsMadeWithoutIt) {
  make_sphere();
  converted({"ball.obj", "--res", "700", "-q", "-o", "once.h5"});
  for (const char* place : {"host", "room"}) {
    const std::string json =
        converted({"ball.obj", "--res", "700", "-o", "rounds.h5", "--spill", place, "--verify", "--json"});
    EXPECT_EQ(json_value(json, "digest"), digest("once.h5"));
    EXPECT_EQ(json_value(json, "verified"), "true");
    EXPECT_GE(std::stoul(json_value(json, "spill.rounds")), 1u);
    EXPECT_GT(std::stoul(json_value(json, "spill.bytes")), 0u);
  }
  EXPECT_TRUE(fs::is_empty(folder_ / "room"));
}

TEST_F(SpillProgram, SeveralDevicesAndProcessesMakeTheSame) {
  make_sphere();
  for (const bool solid : {false, true}) {
    std::vector<std::string> sphere = {"ball.obj", "--res", "700", "-q", "--compression", "2"};
    if (solid) sphere.emplace_back("--solid");
    const auto with = [&](const std::vector<std::string>& more) {
      std::vector<std::string> all = sphere;
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    converted(with({"-o", "once.h5"}));
    const std::string expected = digest("once.h5");
    for (const char* place : {"host", "room"}) {
      const std::string json = converted(
          with({"-o", "many.h5", "--device", "cpu,cpu,cpu", "--spill", place, "--verify", "--json"}));
      EXPECT_EQ(json_value(json, "digest"), expected);
      EXPECT_EQ(json_value(json, "verified"), "true");
      EXPECT_GE(std::stoul(json_value(json, "spill.rounds")), 3u);
      converted(with({"-o", "parts.h5", "--device", "cpu,cpu", "--spill", place, "--parts"}));
      EXPECT_EQ(digest("parts.h5"), expected);
    }
    converted({"parts.h5", "-q", "-o", "one.h5"});
    EXPECT_EQ(digest("one.h5"), expected);
    if (!have_mpirun()) continue;
    const Finished two =
        launched(2, "vox-convert", with({"-o", "two.h5", "--device", "cpu", "--spill", "host", "--verify"}));
    ASSERT_EQ(two.code, 0) << two.err;
    EXPECT_EQ(digest("two.h5"), expected);
  }
  EXPECT_TRUE(fs::is_empty(folder_ / "room"));
}

TEST_F(SpillProgram, WithLittleMemoryThereAreSeveralRounds) {
  if (test_device() != "cpu") GTEST_SKIP() << "a GPU's tables grow in larger steps";
  if (kThoroughness == 1) GTEST_SKIP() << "a sanitizer takes memory, too";
  make_sphere();
  const std::vector<std::string> small = {"ball.obj", "--res", "2K", "--memory-limit", "100M", "-o"};
  std::vector<std::string> once = small, rounds = small;
  std::vector<std::string> too_small = small;
  too_small.push_back("none.h5");
  too_small[4] = "60M";
  expect_failure(kFailed, "or build it in rounds with --spill", too_small);
  once.insert(once.end(), {"once.h5", "--json"});
  rounds.insert(rounds.end(), {"rounds.h5", "--spill", "room", "--json"});
  once[4] = "4G";
  const std::string whole = converted(once), spilled = converted(rounds);
  EXPECT_GT(std::stoul(json_value(spilled, "spill.rounds")), 1u);
  EXPECT_EQ(json_value(spilled, "digest"), json_value(whole, "digest"));
  EXPECT_EQ(json_value(spilled, "voxels"), json_value(whole, "voxels"));
}

TEST_F(SpillProgram, PaintedScenesMayBeSpilled) {
  write("strokes.txt", "stroke color #ff0000 radius 0.2 edge 0 uv 0.5,0.5\n");
  make_sphere();
  for (const char* output : {"once.h5", "rounds.h5"}) {
    std::vector<std::string> run = {"ball.obj", "--res", "300", "--paint", "strokes.txt", "-q", "-o", output};
    if (output == std::string("rounds.h5")) run.insert(run.end(), {"--spill", "host"});
    converted(run);
  }
  EXPECT_EQ(digest("rounds.h5"), digest("once.h5"));
}

TEST_F(SpillProgram, SolidScenesMayBeSpilled) {
  make_sphere();
  const std::string once = converted({"ball.obj", "--res", "700", "--solid", "-o", "once.h5", "--json"});
  for (const char* place : {"host", "room"}) {
    const std::string json = converted(
        {"ball.obj", "--res", "700", "--solid", "-o", "rounds.h5", "--spill", place, "--verify", "--json"});
    EXPECT_EQ(digest("rounds.h5"), digest("once.h5"));
    EXPECT_EQ(json_value(json, "voxels"), json_value(once, "voxels"));
    EXPECT_EQ(json_value(json, "open_rays"), json_value(once, "open_rays"));
  }
}

TEST_F(SpillProgram, SolidScenesHaveSeveralRoundsWithLittleMemory) {
  if (test_device() != "cpu") GTEST_SKIP() << "a GPU's tables grow in larger steps";
  if (kThoroughness == 1) GTEST_SKIP() << "a sanitizer takes memory, too";
  make_sphere();
  converted({"ball.obj", "--res", "2K", "--solid", "-q", "-o", "once.h5"});
  const std::string json = converted({"ball.obj", "--res", "2K", "--solid", "--memory-limit", "100M",
                                      "--spill", "host", "--json", "-o", "rounds.h5"});
  EXPECT_GT(std::stoul(json_value(json, "spill.rounds")), 1u);
  EXPECT_EQ(json_value(json, "digest"), digest("once.h5"));
}

TEST_F(SpillProgram, IsRefusedWhereItMakesNoSense) {
  make_cubes();
  const auto refused = [&](const std::string& text, std::vector<std::string> run) {
    run.insert(run.end(), {"-o", "a.h5"});
    expect_failure(kBadUsage, text, run);
  };
  refused("--spill is 'nowhere', expected host or the name of a folder",
          {"cube.obj", "--res", "64", "--spill", "nowhere"});
  refused("--spill is 'cube.obj', expected host", {"cube.obj", "--res", "64", "--spill", "cube.obj"});
  refused("--spill has no effect", {"cube.h5", "--res", "32", "--spill", "host"});
}

TEST_F(SpillProgram, AFullDiskLeavesNothing) {
  make_sphere();
  expect_failure(kFailed, "room: there is not enough space for spilled data",
                 {"ball.obj", "--res", "700", "-o", "a.h5", "--spill", "room"},
                 {.folder = {}, .file_size_limit = 1 << 20});
}

TEST_F(SpillProgram, AnInterruptLeavesNothing) {
  make_sphere();
  expect_failure(kInterrupted, "interrupted",
                 {"ball.obj", "--res", test_on_gpu() ? "128K" : "16K", "-o", "a.h5", "--spill", "room"},
                 {.folder = {}, .file_size_limit = {}, .interrupt_after = 1.5});
}

}  // namespace
}  // namespace vox
