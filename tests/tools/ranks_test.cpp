// Programs that mpirun has started several times: vox-convert and vox-render, whose processes work together, and the
// others, which refuse to.
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/common/test_engine.h"
#include "tests/tools/ranks_program.h"

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

// Also those of films, of volumes, and cuts, which one of them makes. Files are the same to the last byte.
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
  const Finished scene = launched(2, "vox-convert", {"cube.h5", "--res", "32", "-o", "a.h5"});
  EXPECT_EQ(scene.code, kBadUsage);
  EXPECT_EQ(occurrences(scene.err, "several processes build a scene of meshes alone"), 1u) << scene.err;
  write("script.txt", "");
  const Finished edit = launched(2, "vox-edit", {"cube.h5", "--script", "script.txt", "-o", "a.h5"});
  EXPECT_EQ(edit.code, kBadUsage);
  EXPECT_EQ(occurrences(edit.err, "vox-edit runs on one device, but was started as 2 processes"), 1u)
      << edit.err;
  EXPECT_EQ(occurrences(edit.err, "unique nodes"), 1u) << edit.err;
  const Finished stats = launched(2, "vox-stats", {"cube.h5"});
  EXPECT_EQ(stats.code, kBadUsage);
  EXPECT_EQ(occurrences(stats.err, "vox-stats runs as one process, but was started as 2"), 1u) << stats.err;
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

}  // namespace
}  // namespace vox
