// Tests vox-convert --resume: a conversion that was killed continues from what it has kept.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"
#include "tests/tools/ranks_program.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// The scene is blades of grass, each small and with a shape of its own, in more chunk cells than there are
// rounds. Each of many rounds has something to build, and the total is small.
std::string grass_obj() {
  std::string text;
  constexpr int kSide = 32;
  for (int blade = 0; blade < kSide * kSide; ++blade) {
    const int x = blade % kSide, z = blade / kSide;
    const double y = (x * 7 + z * 5) % 11, high = 0.05 + 0.0001 * blade;
    text += fmt::format("v {0} {1} {2}\nv {3} {4} {2}\nv {0} {4} {5}\nf -3 -2 -1\n", x, y, z, x + 0.05,
                        y + high, z + 0.04);
  }
  return text;
}

class ResumeProgram : public LaunchedProgram {
 protected:
  void SetUp() override {
    LaunchedProgram::SetUp();
    if (IsSkipped()) return;
    setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
    write("grass.obj", grass_obj());
  }
  void TearDown() override {
    unsetenv("SOURCE_DATE_EPOCH");
    LaunchedProgram::TearDown();
  }

  static std::vector<std::string> arguments(const std::vector<std::string>& more) {
    std::vector<std::string> all = {"grass.obj", "--res", "4K", "-q", "-o", "scene.h5", "--compression", "2"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Finished run(const std::vector<std::string>& more, const RunOptions& options = {}) const {
    RunOptions here = options;
    here.folder = folder_;
    return run_program("vox-convert", arguments(more), here);
  }

  // Runs the conversion until this file exists and then kills it.
  void expect_killed_at(const std::string& file, const std::vector<std::string>& more) const {
    const Finished ended =
        run(more, {.folder = {}, .file_size_limit = {}, .signal_when_exists = file, .signal = SIGKILL});
    EXPECT_EQ(ended.signal, SIGKILL) << file << " " << ended.err;
  }

  size_t rounds() const { return contents_of_rounds().size(); }

  // In the words of a round's file, the seventh is the number of roots (docs/formats.md).
  size_t rounds_with_nodes() const {
    size_t count = 0;
    for (const std::string& content : contents_of_rounds()) {
      uint64_t roots = 0;
      if (content.size() >= 56) std::memcpy(&roots, content.data() + 48, sizeof roots);
      count += roots > 0 ? 1 : 0;
    }
    return count;
  }

 private:
  std::vector<std::string> contents_of_rounds() const {
    std::vector<std::string> contents;
    for (const auto& [name, content] : listing(folder_))
      if (has(name, "round-") && name.ends_with(".bin")) contents.push_back(content);
    return contents;
  }
};

// With 0 seconds each piece is a round, named after its number, and one device takes the pieces in order.
TEST_F(ResumeProgram, KilledAtTenRandomMomentsItMakesTheFileOfAnUndisturbedRun) {
  const std::vector<std::string> options = {"--resume", "--keep-every", "0", "--device", "cpu"};
  ASSERT_EQ(run(options).code, 0);
  EXPECT_FALSE(exists("scene.parts"));
  const std::string expected = read_bytes(folder_ / "scene.h5");
  fs::remove(folder_ / "scene.h5");
  std::mt19937 random(7);
  uint32_t piece = 0;
  for (int i = 0; i < 10; ++i) {
    piece += std::uniform_int_distribution<uint32_t>(1, 24)(random);
    const std::string round = "scene.parts/round-" + std::to_string(100000 + piece).substr(1) + ".bin";
    const std::string moment = i == 0 ? "scene.parts" : i == 1 ? "scene.parts/rounds.txt" : round;
    expect_killed_at(moment, options);
  }
  EXPECT_GT(rounds(), 8u);
  EXPECT_GT(rounds_with_nodes(), rounds() / 2);
  EXPECT_FALSE(exists("scene.h5"));
  const Finished whole = run(options);
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_TRUE(read_bytes(folder_ / "scene.h5") == expected);
  EXPECT_FALSE(exists("scene.parts"));
}

TEST_F(ResumeProgram, OtherDevicesAndPartsGoOnFromTheSameRounds) {
  ASSERT_EQ(run({"--device", "cpu"}).code, 0);
  const std::string expected = digest("scene.h5");
  fs::remove(folder_ / "scene.h5");
  const auto killed_at = [&](int round, const std::vector<std::string>& more) {
    std::vector<std::string> all = {"--resume", "--keep-every", "0"};
    all.insert(all.end(), more.begin(), more.end());
    // Rounds are named after their first pieces, and with 0 seconds each piece is a round.
    expect_killed_at("scene.parts/round-000" + std::to_string(round) + ".bin", all);
  };
  killed_at(10, {"--device", "cpu,cpu,cpu"});
  const size_t first = rounds();
  EXPECT_GT(first, 3u);
  killed_at(30, {"--device", "cpu", "--parts"});
  EXPECT_GT(rounds(), first);
  const Finished whole = run({"--resume", "--device", "cpu,cpu", "--parts", "--json", "--verify"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(json_value(whole.out, "digest"), expected);
  EXPECT_EQ(rounds(), 0u);
  EXPECT_FALSE(exists("scene.parts/rounds.txt"));
}

// A piece is a run of whole rows of chunk cells, if there are any at its place.
TEST_F(ResumeProgram, SolidScenesGoOnWithOtherDevices) {
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "4K", "--texture-size", "64", "-o", "ball.obj"}).code, 0);
  const std::vector<std::string> solid = {"ball.obj", "--res", "1030", "--solid", "-o", "scene.h5"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = solid;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  converted(with({"-q", "--device", "cpu"}));
  const std::string expected = digest("scene.h5");
  fs::remove(folder_ / "scene.h5");
  const Finished ended = run_program("vox-convert", with({"-q", "--resume", "--keep-every", "0"}),
                                     {.folder = folder_,
                                      .file_size_limit = {},
                                      .signal_when_exists = "scene.parts/round-00100.bin",
                                      .signal = SIGKILL});
  EXPECT_EQ(ended.signal, SIGKILL) << ended.err;
  EXPECT_GT(rounds(), 99u);
  const std::string json = converted(with({"--resume", "--device", "cpu,cpu", "--verify", "--json"}));
  EXPECT_EQ(json_value(json, "digest"), expected);
  EXPECT_EQ(json_value(json, "open_rays"), "0");
  EXPECT_FALSE(exists("scene.parts"));
}

TEST_F(ResumeProgram, SeveralProcessesGoOnWhenOneWasKilled) {
  if (!have_mpirun()) GTEST_SKIP() << "no MPI";
  ASSERT_EQ(run({"--device", "cpu"}).code, 0);
  const std::string expected = digest("scene.h5");
  fs::remove(folder_ / "scene.h5");
  std::thread killer([&] {
    while (rounds() < 5) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::ifstream file(folder_ / "pid.1");
    pid_t number = 0;
    if (file >> number) kill(number, SIGKILL);
  });
  EXPECT_NE(
      with_known_processes(2, "vox-convert", arguments({"--resume", "--keep-every", "0", "--device", "cpu"}))
          .code,
      0);
  killer.join();
  EXPECT_FALSE(exists("scene.h5"));
  EXPECT_GT(rounds(), 4u);
  const Finished whole = launched(3, "vox-convert", arguments({"--resume", "--device", "cpu"}));
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(digest("scene.h5"), expected);
  EXPECT_FALSE(exists("scene.parts"));
}

TEST_F(ResumeProgram, WhatWasBegunDifferentlyIsRefusedAndStays) {
  expect_killed_at("scene.parts/round-00002.bin", {"--resume", "--keep-every", "0"});
  const auto refused = [&](const std::string& what, const std::vector<std::string>& more) {
    std::vector<std::string> all = arguments({"--resume"});
    all.insert(all.end(), more.begin(), more.end());
    const Finished ended = run_program("vox-convert", all, {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(ended.code, kFailed);
    EXPECT_TRUE(one_error(
        ended, "scene.parts/rounds.txt: the rounds kept here belong to a build with another " + what));
  };
  refused("coverage", {"--coverage", "thin"});
  const auto before = listing(folder_);  // the incomplete file of the killed process is gone now
  refused("materials", {"--materials", "none"});
  refused("solid", {"--solid"});
  write("grass.obj", cube_obj());
  refused("voxel-size", {});
  write("grass.obj", grass_obj());
  EXPECT_TRUE(listing(folder_) == before);
}

TEST_F(ResumeProgram, WithNothingKeptABuildOfSomethingElseBegins) {
  expect_killed_at("scene.parts/rounds.txt", {"--resume"});
  ASSERT_EQ(rounds(), 0u);
  const Finished other = run({"--resume", "--solid"});
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_FALSE(exists("scene.parts"));
}

TEST_F(ResumeProgram, WhileAnotherProcessBuildsTheSceneItIsRefused) {
  fs::create_directory(folder_ / "scene.parts");
  const std::string unfinished = write("scene.parts/round-00003.bin.1-0.tmp", "half");
  const std::string lock = (folder_ / write("scene.parts/rounds.lock", "")).string();
  const int file = open(lock.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(file, LOCK_EX | LOCK_NB), 0);
  expect_failure(kFailed, "scene.parts/rounds.lock: another run is writing this scene",
                 arguments({"--resume"}));
  if (have_mpirun()) {
    const Finished launched_too = launched(2, "vox-convert", arguments({"--resume", "--device", "cpu"}));
    EXPECT_NE(launched_too.code, 0);
    EXPECT_EQ(occurrences(launched_too.err, "another run is writing this scene"), 1u) << launched_too.err;
    EXPECT_TRUE(exists(unfinished));
  }
  close(file);  // the process has ended
  EXPECT_EQ(run({"--resume"}).code, 0);
  EXPECT_FALSE(exists("scene.parts"));
}

TEST_F(ResumeProgram, PartsOfAProcessThatWasKilledGoWhenTheSceneIsWhole) {
  expect_killed_at("scene.parts/round-00002.bin", {"--resume", "--keep-every", "0", "--parts"});
  write("scene.parts/001-0123456789abcdef.h5", "of a process that was killed");
  write("scene.parts/000-0123456789abcdef.h5.7-0.tmp", "what it was writing");
  ASSERT_EQ(run({"--resume", "--parts", "--device", "cpu"}).code, 0);
  size_t files = 0;
  for (const auto& file : fs::directory_iterator(folder_ / "scene.parts")) files += file.exists() ? 1 : 0;
  EXPECT_EQ(files, 1u);
}

TEST_F(ResumeProgram, ARunThatDoesNotGoOnSaysThatRoundsAreLeft) {
  expect_killed_at("scene.parts/round-00002.bin", {"--resume", "--keep-every", "0"});
  const std::string kept = fmt::format("scene.parts holds {} rounds of a build that was ended", rounds());
  const auto loud = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = arguments(more);
    std::erase(all, "-q");
    return all;
  };
  const Finished without = convert(loud({}));
  EXPECT_EQ(without.code, 0);
  EXPECT_EQ(occurrences(without.err, kept), 1u) << without.err;
  if (have_mpirun()) {
    const Finished launched_too = launched(2, "vox-convert", loud({"--device", "cpu"}));
    EXPECT_EQ(occurrences(launched_too.err, kept), 1u) << launched_too.err;
  }
  const Finished with = convert(loud({"--resume"}));
  EXPECT_EQ(with.code, 0);
  EXPECT_FALSE(has(with.err, "warning")) << with.err;
  EXPECT_FALSE(exists("scene.parts"));
}

TEST_F(ResumeProgram, IsRefusedWhereItHasNoEffect) {
  expect_failure(kBadUsage, "--resume", arguments({"--keep-every", "5"}));
  expect_failure(kBadUsage, "--keep-every", arguments({"--resume", "--keep-every", "-1"}));
  converted({"grass.obj", "--res", "64", "-o", "small.h5"});
  expect_failure(kBadUsage, "--resume", {"small.h5", "-o", "x.vox", "--resume"});
}

// Tests vox-convert --spill, which builds scenes in rounds.

class SpillProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
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
  const Finished several = run_program(
      "vox-convert", {"cube.obj", "--res", "64", "--spill", "host", "--device", "cpu,cpu", "-o", "a.h5"},
      {.folder = folder_, .file_size_limit = {}});
  EXPECT_EQ(several.code, kBadUsage);
  EXPECT_TRUE(one_error(several, "--spill is for one device"));
}

TEST_F(SpillProgram, AFullDiskLeavesNothing) {
  make_sphere();
  expect_failure(kFailed, "room: there is not enough space for spilled data",
                 {"ball.obj", "--res", "700", "-o", "a.h5", "--spill", "room"},
                 {.folder = {}, .file_size_limit = 1 << 20});
}

TEST_F(SpillProgram, AnInterruptLeavesNothing) {
  make_sphere();
  expect_failure(kInterrupted, "interrupted", {"ball.obj", "--res", "16K", "-o", "a.h5", "--spill", "room"},
                 {.folder = {}, .file_size_limit = {}, .interrupt_after = 1.5});
}

}  // namespace
}  // namespace vox
