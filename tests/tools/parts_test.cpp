// vox-convert --parts: several devices, or processes, write one scene side by side.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "tests/common/test_engine.h"
#include "tests/tools/ranks_program.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

class PartsProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    write("cube.obj", cube_obj());
    converted({"cube.obj", "--res", "300", "-o", "one.h5"});
  }

  Finished in_parts(const std::string& devices, std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {"cube.obj", "--res",    "300",   "-o",     "scene.h5",
                                    "--parts",  "--device", devices, "--json", "--verify"};
    all.insert(all.end(), more.begin(), more.end());
    return run_program("vox-convert", all, {.folder = folder_, .file_size_limit = {}});
  }

  size_t part_files() const {
    size_t count = 0;
    for (const auto& [name, content] : listing(folder_)) count += has(name, "scene.parts/") ? 1 : 0;
    return count;
  }
};

TEST_F(PartsProgram, OfEachDeviceMakeTheSceneThatOneMakes) {
  for (const auto& [devices, count] : {std::pair{"cpu", 1u}, {"cpu,cpu", 2u}, {"cpu,cpu,cpu", 3u}}) {
    const Finished run = in_parts(devices);
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(json_value(run.out, "digest"), digest("one.h5"));
    EXPECT_EQ(json_value(run.out, "verified"), "true");
    EXPECT_EQ(occurrences(run.out, "\"items_kept\""), count > 1 ? count : 0) << run.out;
    EXPECT_EQ(part_files(), count);  // the parts of the previous run are gone
    EXPECT_EQ(digest("scene.h5"), digest("one.h5"));
  }
}

TEST_F(PartsProgram, ArePackedIntoOneFile) {
  ASSERT_EQ(in_parts("cpu,cpu,cpu").code, 0);
  converted({"scene.h5", "-o", "packed.h5"});
  converted({"--verify", "packed.h5"});
  EXPECT_EQ(digest("packed.h5"), digest("one.h5"));
  converted({"scene.h5", "-o", "scene.h5", "--force"});  // in place: a single file remains
  EXPECT_EQ(part_files(), 0u);
  EXPECT_FALSE(exists("scene.parts"));
  EXPECT_EQ(digest("scene.h5"), digest("one.h5"));
}

TEST_F(PartsProgram, ThatCannotBeWrittenLeaveWhatWasThere) {
  for (const char* devices : {"cpu", "cpu,cpu"}) {
    const std::vector<std::string> arguments = {"cube.obj", "--res",         "301",  "-o",       "scene.h5",
                                                "--parts",  "--compression", "none", "--device", devices};
    const auto without = listing(folder_);
    const RunOptions full = {.folder = folder_, .file_size_limit = 3000};
    const Finished first = run_program("vox-convert", arguments, full);
    EXPECT_EQ(first.code, kFailed) << first.err;
    EXPECT_TRUE(has(first.err, "scene.parts")) << first.err;
    EXPECT_TRUE(listing(folder_) == without);
    ASSERT_EQ(in_parts("cpu,cpu,cpu").code, 0);
    const auto with = listing(folder_);
    EXPECT_EQ(run_program("vox-convert", arguments, full).code, kFailed);
    EXPECT_TRUE(listing(folder_) == with);
    EXPECT_EQ(digest("scene.h5"), digest("one.h5"));
    fs::remove(folder_ / "scene.h5");
    fs::remove_all(folder_ / "scene.parts");
  }
}

TEST_F(PartsProgram, OfTwoRunsAtOnceAreThoseOfOneScene) {
  converted({"cube.obj", "--res", "200", "-o", "two.h5"});
  const std::array<std::string, 2> digests = {digest("one.h5"), digest("two.h5")};
  for (int pair = 0; pair < 5; ++pair) {
    std::array<Finished, 2> runs;
    {
      std::array<std::jthread, 2> threads;
      for (size_t i = 0; i < 2; ++i)
        threads[i] = std::jthread([&, i] {
          runs[i] = run_program("vox-convert",
                                {"cube.obj", "--res", i == 0 ? "300" : "200", "-o", "scene.h5", "--parts",
                                 "--device", "cpu", "-q"},
                                {.folder = folder_, .file_size_limit = {}});
        });
    }
    EXPECT_TRUE(runs[0].code == 0 || runs[1].code == 0) << runs[0].err << runs[1].err;
    for (const Finished& run : runs) {
      if (run.code == 0) continue;
      EXPECT_EQ(run.code, kFailed);
      EXPECT_TRUE(one_error(run, "another run is writing this scene", "vox-convert")) << run.err;
    }
    const std::string found = digest("scene.h5");
    EXPECT_TRUE(found == digests[0] || found == digests[1]);
    EXPECT_NE(converted({"--verify", "scene.h5"}).find("correct"), std::string::npos);
    EXPECT_EQ(part_files(), 1u);
  }
}

TEST_F(PartsProgram, AreNotWrittenWhileAnotherRunWritesTheScene) {
  fs::create_directory(folder_ / "scene.parts");
  const std::string lock = (folder_ / write("scene.parts/rounds.lock", "")).string();
  const int file = open(lock.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(file, LOCK_EX | LOCK_NB), 0);
  expect_failure(kFailed, "scene.parts/rounds.lock: another run is writing this scene",
                 {"cube.obj", "--res", "300", "-o", "scene.h5", "--parts"});
  close(file);
  EXPECT_EQ(in_parts("cpu").code, 0);
  EXPECT_EQ(part_files(), 1u);
}

TEST_F(PartsProgram, AreRefusedWhereOneFileIsMade) {
  const auto refused = [&](const std::string& text, std::vector<std::string> arguments) {
    arguments.emplace_back("--parts");
    expect_failure(kBadUsage, text, arguments);
  };
  const std::vector<std::string> mesh = {"cube.obj", "--res", "64"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), mesh.begin(), mesh.end());
    return more;
  };
  refused("--parts", {"one.h5", "-o", "x.h5"});
  refused("--parts", with({"-o", "x.vox"}));
  refused("--parts", with({"-o", "x.h5", "--structure", "both"}));
  refused("--parts", with({"-o", "x.h5", "--structure", "svdag,hash"}));
  refused("--file-version 2", with({"-o", "x.h5", "--file-version", "1"}));
  write("x.parts", "no folder");
  expect_failure(kFailed, "x.parts", with({"-o", "x.h5", "--parts"}));
}

using PartsOfProcesses = RanksProgram;

TEST_F(PartsOfProcesses, MakeTheSceneThatOneMakes) {
  write("cube.obj", cube_obj());
  converted({"cube.obj", "--res", "100", "-o", "one.h5"});
  for (uint32_t count : {2, 3}) {
    const Finished run = launched(
        count, "vox-convert",
        {"cube.obj", "--res", "100", "--device", "cpu", "-o", "more.h5", "--parts", "--json", "--verify"});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(json_value(run.out, "digest"), digest("one.h5"));
    EXPECT_EQ(occurrences(run.out, "\"items_kept\""), count) << run.out;
    EXPECT_EQ(digest("more.h5"), digest("one.h5"));
    size_t files = 0;
    for (const auto& file : fs::directory_iterator(folder_ / "more.parts")) files += file.exists() ? 1 : 0;
    EXPECT_EQ(files, count);
  }
}

TEST_F(PartsOfProcesses, OfAKilledOneLeaveTheOlderScene) {
  write("cube.obj", cube_obj());
  converted({"cube.obj", "--res", "100", "-o", "a.h5", "--parts"});
  const auto before = listing(folder_);
  for (uint32_t rank : {0, 1}) {
    std::thread killer([&] {
      if (const pid_t number = process(rank)) kill(number, SIGKILL);
    });
    const Finished run =
        with_known_processes(2, "vox-convert", {"cube.obj", "--res", "64K", "-o", "a.h5", "--parts"});
    killer.join();
    EXPECT_NE(run.code, 0);
    for (const char* name : {"pid.0", "pid.1", "a.parts/rounds.lock"}) fs::remove(folder_ / name);
    EXPECT_TRUE(listing(folder_) == before);
  }
}

}  // namespace
}  // namespace vox
