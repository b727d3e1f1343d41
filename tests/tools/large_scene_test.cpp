// Runs every tool on a scene that is larger than its memory limit, and compares with what it does without a limit.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "formats/images/image.h"
#include "formats/scene/scene_file.h"
#include "libvox/device/devices.h"
#include "tests/common/random.h"
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
    ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "20K", "--texture-size", texels_, "-o", "ball.obj"}).code,
              0);
    made_.insert(made_.end(), {"ball.obj", "-q"});
    converted(made_);
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
}

}  // namespace
}  // namespace vox
