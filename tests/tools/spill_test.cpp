// Tests vox-convert --spill, which builds scenes in rounds.

#include <filesystem>
#include <string>
#include <vector>

#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"
#include "tests/tools/ranks_program.h"

namespace vox {
namespace {

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
  void make_sphere() const {
    EXPECT_EQ(scene({"bumpy-sphere", "--triangles", "4K", "--texture-size", "256", "-o", "ball.obj"}).code,
              0);
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
  const std::vector<std::string> small = {"ball.obj", "--res", "3K", "--memory-limit", "150M", "-o"};
  std::vector<std::string> once = small, rounds = small;
  std::vector<std::string> too_small = small;
  too_small.push_back("none.h5");
  too_small[4] = "80M";
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
  converted({"ball.obj", "--res", "3K", "--solid", "-q", "-o", "once.h5"});
  const std::string json = converted({"ball.obj", "--res", "3K", "--solid", "--memory-limit", "150M",
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
