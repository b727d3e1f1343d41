// Programs that mpirun has started several times: vox-convert, whose processes work together, and the others, which
// refuse to.
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
  EXPECT_EQ(occurrences(edit.err, "vox-edit runs as one process, but was started as 2"), 1u) << edit.err;
  std::filesystem::remove(folder_ / "script.txt");
  EXPECT_EQ(listing(folder_), before);
}

TEST_F(RanksProgram, WhenOneIsKilledAllEndAndLeaveNoFile) {
  write("cube.obj", cube_obj());
  for (uint32_t rank : {0, 1}) {
    std::thread killer([&] {
      if (const pid_t number = process(rank)) kill(number, SIGKILL);
    });
    const Finished run = with_known_processes(2, {"cube.obj", "--res", "64K", "-o", "a.h5"});
    killer.join();
    EXPECT_NE(run.code, 0);
    EXPECT_TRUE(has(run.err, "exited on signal 9")) << run.err;
    for (const char* name : {"pid.0", "pid.1"}) std::filesystem::remove(folder_ / name);
    EXPECT_EQ(listing(folder_).size(), 1u);
  }
}

TEST_F(RanksProgram, AnInterruptEndsAllAndLeavesNoFile) {
  write("cube.obj", cube_obj());
  std::thread interrupter([&] {
    if (const pid_t number = process(1)) kill(number, SIGINT);
  });
  const Finished run = with_known_processes(2, {"cube.obj", "--res", "64K", "-o", "a.h5"});
  interrupter.join();
  EXPECT_EQ(run.code, kInterrupted);
  EXPECT_EQ(occurrences(run.err, "vox-convert: error: interrupted"), 1u) << run.err;
  for (const char* name : {"pid.0", "pid.1"}) std::filesystem::remove(folder_ / name);
  EXPECT_EQ(listing(folder_).size(), 1u);
}

}  // namespace
}  // namespace vox
