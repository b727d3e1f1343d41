// vox-convert --resume: a conversion that is killed goes on from what it has kept.
#include <csignal>
#include <cstdlib>
#include <random>

#include "tests/common/test_engine.h"
#include "tests/tools/ranks_program.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// Undulating ground of many triangles, so that there is something to build in each of many rounds.
std::string ground_obj() {
  std::string text;
  constexpr int kSide = 40;
  for (int z = 0; z < kSide; ++z)
    for (int x = 0; x < kSide; ++x)
      text += "v " + std::to_string(x) + " " + std::to_string((x * 7 + z * 5) % 11) + " " +
              std::to_string(z) + "\n";
  for (int z = 1; z < kSide; ++z)
    for (int x = 1; x < kSide; ++x) {
      const int at = z * kSide + x + 1;
      text += "f " + std::to_string(at) + " " + std::to_string(at - 1) + " " +
              std::to_string(at - kSide - 1) + " " + std::to_string(at - kSide) + "\n";
    }
  return text;
}

class ResumeProgram : public LaunchedProgram {
 protected:
  void SetUp() override {
    LaunchedProgram::SetUp();
    if (IsSkipped()) return;
    setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
    write("ground.obj", ground_obj());
  }
  void TearDown() override {
    unsetenv("SOURCE_DATE_EPOCH");
    LaunchedProgram::TearDown();
  }

  static std::vector<std::string> arguments(const std::vector<std::string>& more) {
    std::vector<std::string> all = {"ground.obj", "--res",    "700",           "-q",
                                    "-o",         "scene.h5", "--compression", "2"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Finished run(const std::vector<std::string>& more, const RunOptions& options = {}) const {
    RunOptions here = options;
    here.folder = folder_;
    return run_program("vox-convert", arguments(more), here);
  }

  size_t rounds() const {
    size_t count = 0;
    for (const auto& [name, content] : listing(folder_)) count += has(name, "round-") ? 1 : 0;
    return count;
  }
};

// With 0 seconds each piece is a round, named after its number, and one device takes them in their order.
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
    const Finished ended =
        run(options, {.folder = {}, .file_size_limit = {}, .signal_when_exists = moment, .signal = SIGKILL});
    EXPECT_EQ(ended.signal, SIGKILL) << moment << " " << ended.err;
  }
  EXPECT_GT(rounds(), 8u);
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
    // Names of rounds are those of their first pieces, and with 0 seconds each piece is one.
    const Finished ended =
        run(all, {.folder = {},
                  .file_size_limit = {},
                  .signal_when_exists = "scene.parts/round-000" + std::to_string(round) + ".bin",
                  .signal = SIGKILL});
    EXPECT_EQ(ended.signal, SIGKILL) << ended.err;
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

// A piece is a run of whole rows of chunk cells, if there is one at its place.
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
  EXPECT_EQ(run({"--resume", "--keep-every", "0"}, {.folder = {},
                                                    .file_size_limit = {},
                                                    .signal_when_exists = "scene.parts/round-00002.bin",
                                                    .signal = SIGKILL})
                .signal,
            SIGKILL);
  const auto refused = [&](const std::string& what, const std::vector<std::string>& more) {
    std::vector<std::string> all = arguments({"--resume"});
    all.insert(all.end(), more.begin(), more.end());
    const Finished ended = run_program("vox-convert", all, {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(ended.code, kFailed);
    EXPECT_TRUE(
        one_error(ended, "scene.parts/rounds.txt: the build that is kept here is of another " + what));
  };
  refused("coverage", {"--coverage", "thin"});
  const auto before = listing(folder_);  // what was being written when the process was killed is gone now
  refused("materials", {"--materials", "none"});
  refused("solid", {"--solid"});
  write("ground.obj", cube_obj());
  refused("voxel-size", {});
  write("ground.obj", ground_obj());
  EXPECT_TRUE(listing(folder_) == before);
}

TEST_F(ResumeProgram, IsRefusedWhereItHasNoEffect) {
  expect_failure(kBadUsage, "--resume", arguments({"--keep-every", "5"}));
  expect_failure(kBadUsage, "--keep-every", arguments({"--resume", "--keep-every", "-1"}));
  converted({"ground.obj", "--res", "64", "-o", "small.h5"});
  expect_failure(kBadUsage, "--resume", {"small.h5", "-o", "x.vox", "--resume"});
}

}  // namespace
}  // namespace vox
