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

#include "tests/tools/program.h"

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
TEST_F(ResumeProgram, KilledAtRandomMomentsItMakesTheFileOfAnUndisturbedRun) {
  const std::vector<std::string> options = {"--resume", "--keep-every", "0", "--device", "cpu"};
  ASSERT_EQ(run(options).code, 0);
  EXPECT_FALSE(exists("scene.parts"));
  const std::string expected = read_bytes(folder_ / "scene.h5");
  fs::remove(folder_ / "scene.h5");
  std::mt19937 random(7);
  uint32_t piece = 0;
  for (int i = 0; i < 5; ++i) {
    piece += std::uniform_int_distribution<uint32_t>(1, 48)(random);
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

TEST_F(ResumeProgram, SpilledScenesGoOnInAnyManner) {
  fs::create_directory(folder_ / "room");
  ASSERT_EQ(run({"--device", "cpu"}).code, 0);
  const std::string expected = digest("scene.h5");
  const std::vector<std::string> spilled = {"--resume", "--keep-every", "0",   "--device",
                                            "cpu",      "--spill",      "host"};
  ASSERT_EQ(run(spilled).code, 0);
  EXPECT_EQ(digest("scene.h5"), expected);
  const std::string bytes = read_bytes(folder_ / "scene.h5");
  fs::remove(folder_ / "scene.h5");
  for (const char* moment : {"rounds.txt", "round-00000.bin"})
    expect_killed_at(std::string("scene.parts/") + moment, spilled);
  ASSERT_EQ(run(spilled).code, 0);
  EXPECT_TRUE(read_bytes(folder_ / "scene.h5") == bytes);
  fs::remove(folder_ / "scene.h5");
  const auto killed_at = [&](const std::string& round, const std::vector<std::string>& more) {
    std::vector<std::string> all = {"--resume", "--keep-every", "0"};
    all.insert(all.end(), more.begin(), more.end());
    expect_killed_at("scene.parts/round-" + round + ".bin", all);
  };
  killed_at("00010", {"--device", "cpu"});
  killed_at("00030", {"--device", "cpu", "--spill", "room"});
  killed_at("00050", {"--device", "cpu,cpu", "--spill", "host", "--parts"});
  const size_t kept = rounds();
  EXPECT_GT(kept, 30u);
  const Finished whole = run({"--resume", "--device", "cpu,cpu", "--spill", "room", "--json", "--verify"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(json_value(whole.out, "digest"), expected);
  EXPECT_GT(std::stoul(json_value(whole.out, "spill.rounds")), kept);
  EXPECT_FALSE(exists("scene.parts"));
  EXPECT_TRUE(fs::is_empty(folder_ / "room"));
}

// Each run of meshes keeps rounds of its own. The rounds of a finished run stay until the scene is whole.
TEST_F(ResumeProgram, MeshesAmongOtherInputsGoOn) {
  write("cube.obj", cube_obj());
  converted({"cube.obj", "--res", "16", "-q", "-o", "cube.h5"});
  std::vector<std::string> inputs = {"grass.obj", "cube.h5", "cube.obj", "--res",
                                     "2K",        "-q",      "-o",       "scene.h5"};
  converted(inputs);
  const std::string expected = digest("scene.h5");
  fs::remove(folder_ / "scene.h5");
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = inputs;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  for (const char* moment : {"scene.parts/round-00010.bin", "scene.parts/mesh-2.parts/round-00003.bin"}) {
    const Finished ended = run_program(
        "vox-convert", with({"--resume", "--keep-every", "0"}),
        {.folder = folder_, .file_size_limit = {}, .signal_when_exists = moment, .signal = SIGKILL});
    EXPECT_EQ(ended.signal, SIGKILL) << ended.err;
  }
  EXPECT_GT(rounds(), 200u);
  converted(with({"--resume", "--device", "cpu,cpu", "--spill", "host"}));
  EXPECT_EQ(digest("scene.h5"), expected);
  EXPECT_FALSE(exists("scene.parts"));
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

}  // namespace
}  // namespace vox
