// Tests programs that mpirun starts in several processes: those of vox-convert, vox-render and vox-stats work
// together, and those of the other programs refuse to.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include "formats/images/image.h"
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

TEST_F(RanksProgram, SeveralMakeTheSceneThatOneMakes) {
  write("cube.obj", cube_obj());
  converted({"cube.obj", "--res", "100", "-o", "one.h5"});
  const std::string device = test_device() == "cpu" ? "cpu" : "auto";  // there may be fewer GPUs than ranks
  for (uint32_t count : {2, 3}) {
    const Finished run =
        launched(count, "vox-convert",
                 {"cube.obj", "--res", "100", "--device", device, "-o", "more.h5", "--json", "--verify"});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(json_value(run.out, "digest"), digest("one.h5"));
    EXPECT_EQ(json_value(run.out, "verified"), "true");
    EXPECT_EQ(occurrences(run.out, "\"items_kept\""), count) << run.out;
    EXPECT_EQ(occurrences(run.err, "12 triangles"), 1u) << run.err;
    EXPECT_EQ(digest("more.h5"), digest("one.h5"));
  }
}

// The pictures include films, volumes and cuts, which a single process makes. Files are the same to the last
// byte.
TEST_F(RanksProgram, SeveralTakeThePicturesThatOneTakes) {
  make_cubes();
  std::string values(16 * 16 * 16, '\0');
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<char>(i * i % 251);
  write("values_16x16x16_uint8.raw", values);
  converted({"values_16x16x16_uint8.raw", "-o", "values.h5", "-q"});
  const std::vector<std::vector<std::string>> runs = {
      {"cube.h5", "--size", "150x300", "--samples", "4", "--ao", "4"},
      {"cube.h5", "--size", "200x120", "--shade", "depth", "--turntable", "3"},
      {"cube.h5", "--slice", "y=10"},
      {"values.h5", "--size", "90x200", "--iso", "0.5"}};
  const std::string device = test_device() == "cpu" ? "cpu" : "auto";  // there may be fewer GPUs than ranks
  for (std::vector<std::string> run : runs) {
    run.insert(run.end(), {"-o", "view.png", "--device", device});
    const Finished one = run_program("vox-render", run, {.folder = folder_, .file_size_limit = {}});
    ASSERT_EQ(one.code, 0) << one.err;
    const auto pictures = listing(folder_);
    for (const auto& [name, content] : pictures)
      if (name.starts_with("view")) std::filesystem::remove(folder_ / name);
    const Finished more = launched(3, "vox-render", run);
    EXPECT_EQ(more.code, 0) << more.err;
    EXPECT_EQ(listing(folder_), pictures) << run[0];
  }
}

TEST_F(RanksProgram, AFolderForPicturesIsNeededWhereTheyAreWrittenAlone) {
  make_cubes();
  std::filesystem::create_directories(folder_ / "there/pictures");
  std::filesystem::create_directories(folder_ / "elsewhere");
  const auto rendered = [&](const std::string& writer, const std::string& other) {
    const std::string folders = "test $OMPI_COMM_WORLD_RANK = 0 && cd " + writer + " || cd " + other;
    return run_by_env(2, {"sh", "-c", folders + "; exec \"$0\" \"$@\"", program_path("vox-render")},
                      {"../cube.h5", "--size", "64x64", "--device", "cpu", "-o", "pictures/view.png"});
  };
  const Finished written = rendered("there", "elsewhere");
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_TRUE(exists("there/pictures/view.png"));
  const Finished refused = rendered("elsewhere", "there");
  EXPECT_EQ(refused.code, kFailed);
  EXPECT_EQ(occurrences(refused.err, "rank 0: pictures/view.png"), 1u) << refused.err;
}

TEST_F(RanksProgram, OneTableOfKernelsIsPrinted) {
  make_cubes();
  const Finished run =
      launched(2, "vox-render",
               {"cube.h5", "--size", "64x64", "--device", "cpu", "--profile", "-q", "-o", "view.png"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(occurrences(run.out + run.err, "launches"), 1u) << run.err;
}

TEST_F(RanksProgram, AnErrorOfAllIsSaidOnceWithItsExitCode) {
  const auto before = listing(folder_);
  const Finished missing = launched(3, "vox-convert", {"nothing.obj", "--res", "100", "-o", "a.h5"});
  EXPECT_EQ(missing.code, kFailed);
  EXPECT_EQ(occurrences(missing.err, "error: rank "), 1u) << missing.err;
  EXPECT_EQ(occurrences(missing.err, "nothing.obj"), 1u) << missing.err;
  const Finished unknown = launched(3, "vox-convert", {"--nothing"});
  EXPECT_EQ(unknown.code, kBadUsage);
  EXPECT_EQ(occurrences(unknown.err, "vox-convert: error:"), 1u) << unknown.err;
  EXPECT_EQ(listing(folder_), before);
}

TEST_F(RanksProgram, WhatOneDoesIsRefusedToSeveral) {
  make_cubes();
  const auto before = listing(folder_);
  write("script.txt", "");
  const Finished edit = launched(2, "vox-edit", {"cube.h5", "--script", "script.txt", "-o", "a.h5"});
  EXPECT_EQ(edit.code, kBadUsage);
  EXPECT_EQ(occurrences(edit.err, "vox-edit runs on one device, but was started as 2 processes"), 1u)
      << edit.err;
  EXPECT_EQ(occurrences(edit.err, "unique nodes"), 1u) << edit.err;
  const Finished page = launched(2, "vox-render", {"cube.h5", "--html", "a.html"});
  EXPECT_EQ(page.code, kBadUsage);
  EXPECT_EQ(occurrences(page.err, "--html is the work of one process, but 2 were started"), 1u) << page.err;
  const Finished lists = launched(2, "vox-render", {"cube.h5", "--device", "cpu,cpu", "-o", "a.png"});
  EXPECT_EQ(lists.code, kBadUsage);
  EXPECT_EQ(occurrences(lists.err, "--device names several"), 1u) << lists.err;
  std::filesystem::remove(folder_ / "script.txt");
  EXPECT_EQ(listing(folder_), before);
}

TEST_F(RanksProgram, WhenOneIsKilledAllEndAndLeaveNoFile) {
  write("cube.obj", cube_obj());
  for (uint32_t rank : {0, 1}) {
    std::thread killer([&] {
      if (const pid_t number = process(rank)) kill(number, SIGKILL);
    });
    const Finished run = with_known_processes(2, "vox-convert", {"cube.obj", "--res", "64K", "-o", "a.h5"});
    killer.join();
    EXPECT_NE(run.code, 0);
    EXPECT_TRUE(has(run.err, "exited on signal 9")) << run.err;
    for (const char* name : {"pid.0", "pid.1"}) std::filesystem::remove(folder_ / name);
    EXPECT_EQ(listing(folder_).size(), 1u);
  }
}

TEST_F(RanksProgram, WhenOneIsKilledNoPictureIsWritten) {
  make_cubes();
  const auto before = listing(folder_);
  std::thread killer([&] {
    if (const pid_t number = process(1)) kill(number, SIGKILL);
  });
  const Finished run = with_known_processes(
      2, "vox-render", {"cube.h5", "--size", "4000x4000", "--samples", "1000", "--sampling", "all"});
  killer.join();
  EXPECT_NE(run.code, 0);
  EXPECT_TRUE(has(run.err, "exited on signal 9")) << run.err;
  for (const char* name : {"pid.0", "pid.1"}) std::filesystem::remove(folder_ / name);
  EXPECT_EQ(listing(folder_), before);
}

TEST_F(RanksProgram, AnInterruptEndsAllAndLeavesNoFile) {
  write("cube.obj", cube_obj());
  std::thread interrupter([&] {
    if (const pid_t number = process(1)) kill(number, SIGINT);
  });
  const Finished run = with_known_processes(2, "vox-convert", {"cube.obj", "--res", "64K", "-o", "a.h5"});
  interrupter.join();
  EXPECT_EQ(run.code, kInterrupted);
  EXPECT_EQ(occurrences(run.err, "vox-convert: error: interrupted"), 1u) << run.err;
  for (const char* name : {"pid.0", "pid.1"}) std::filesystem::remove(folder_ / name);
  EXPECT_EQ(listing(folder_).size(), 1u);
}

// vox-convert --parts: several devices, or processes, write one scene side by side.

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

// Tests conversions and pictures on several devices: the results are those of one device, and impossible
// requests are refused.

class SeveralDevicesProgram : public CubesTest {
 protected:
  Finished on(const std::string& devices, std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--device", devices});
    return run_program("vox-convert", arguments, {.folder = folder_, .file_size_limit = {}});
  }
};

TEST_F(SeveralDevicesProgram, MakeTheSceneThatOneMakes) {
  write("box.obj", cube_obj());
  converted({"box.obj", "--res", "300", "-q", "-o", "one.h5"});
  const Finished several =
      on("cpu,cpu,cpu", {"box.obj", "--res", "300", "-o", "several.h5", "--json", "--verify"});
  ASSERT_EQ(several.code, 0) << several.err;
  EXPECT_NE(several.out.find("\"device\": \"cpu,cpu,cpu\""), std::string::npos);
  EXPECT_EQ(digest("several.h5"), digest("one.h5"));
}

TEST_F(SeveralDevicesProgram, TakeThePicturesThatOneTakes) {
  for (const std::vector<std::string>& look :
       {std::vector<std::string>{"--samples", "4"}, {"--shade", "sharing"}, {"--slice", "z=3"}}) {
    const auto taken_on = [&](const std::string& device) {
      std::vector<std::string> run = {"cube.h5", "-q",       "--size",   "120x200",
                                      "-o",      "view.png", "--device", device};
      run.insert(run.end(), look.begin(), look.end());
      const Finished picture = run_program("vox-render", run, {.folder = folder_, .file_size_limit = {}});
      EXPECT_EQ(picture.code, 0) << picture.err;
      return read_image(folder_ / "view.png").pixels;
    };
    EXPECT_EQ(taken_on("cpu,cpu,cpu"), taken_on("cpu"));
  }
}

TEST_F(SeveralDevicesProgram, AreRefusedWhereOneDoesTheWork) {
  write("box.obj", cube_obj());
  const std::vector<std::vector<std::string>> runs = {{"cube.h5", "-o", "x.vox"},
                                                      {"box.obj", "--res", "64", "--structure", "both"},
                                                      {"box.obj", "--res", "64", "--structure", "hash"}};
  for (const auto& run : runs) {
    const Finished refused = on("cpu,cpu", run);
    EXPECT_EQ(refused.code, kBadUsage);
    EXPECT_TRUE(one_error(refused, "--device names several"));
  }
  for (const char* wrong : {"cpu,", "cpu,auto", "cuda:0,cuda:0", "cpu,1"}) {
    const Finished refused = on(wrong, {"box.obj", "--res", "64"});
    EXPECT_EQ(refused.code, kBadUsage) << wrong;
    EXPECT_TRUE(one_error(refused, "the device is '" + std::string(wrong) + "'"));
  }
}

TEST_F(SeveralDevicesProgram, AreRefusedBeforeWorkBeginsByProgramsThatRunOnOne) {
  write("ball.txt", "sphere add center 2,2,2 radius 1 material 0\n");
  const std::vector<std::pair<const char*, std::vector<std::string>>> runs = {
      {"vox-edit", {"cube.h5", "--script", "ball.txt", "-o", "edited.h5"}},
      {"vox-stats", {"cube.h5", "--against", "cube.h5", "-o", "both.h5"}},
      {"vox-bench", {"hash", "--fill", "1K", "--batch", "1K"}}};
  const auto before = listing(folder_);
  for (auto [program, arguments] : runs) {
    arguments.insert(arguments.end(), {"--device", "cpu,cpu"});
    const Finished refused = run_program(program, arguments, {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(refused.code, kBadUsage) << program;
    EXPECT_TRUE(one_error(refused, "several devices are named", program)) << refused.err;
    EXPECT_NE(refused.err.find("--device"), std::string::npos) << program;
  }
  EXPECT_TRUE(listing(folder_) == before);
}

}  // namespace
}  // namespace vox
