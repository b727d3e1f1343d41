// Outputs when something happens to them: links, a broken disk, a limit, a closed pipe, or a call or a request for
// memory that fails.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "libvox/base/files.h"
#include "tests/common/random.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class OutputsProgram : public CubesTest {
 protected:
  Finished run(const std::string& program, const Arguments& arguments,
               const std::map<std::string, std::string>& environment = {}) const {
    RunOptions options;
    options.folder = folder_;
    options.environment = environment;
    return run_program(program, arguments, options);
  }
  // The program says why it refuses to start, and changes nothing.
  void expect_refused(const std::string& program, const Arguments& arguments, const std::string& text) const {
    const auto before = listing(folder_);
    const Finished refused = run(program, arguments);
    EXPECT_EQ(refused.code, kBadUsage) << testing::PrintToString(arguments) << refused.err;
    EXPECT_TRUE(has(refused.err, text)) << refused.err;
    EXPECT_TRUE(listing(folder_) == before) << "files changed, " << testing::PrintToString(arguments);
  }
};

TEST_F(OutputsProgram, TwoResultsAreNotOneFileBehindALinkThatLeadsNowhere) {
  fs::create_symlink("x.h5", folder_ / "link.h5");
  fs::create_symlink("link.h5", folder_ / "chain.h5");
  write("e.txt", kBox);
  for (const char* log : {"link.h5", "chain.h5", "./x.h5"})
    expect_refused("vox-edit", {"cube.h5", "--script", "e.txt", "-o", "x.h5", "--log", log}, "same file");
  fs::create_symlink("r.h5", folder_ / "page.html");
  expect_refused("vox-stats", {"cube.h5", "-o", "r.h5", "--html", "page.html"}, "same file");
  fs::create_symlink("r.csv", folder_ / "b.html");
  expect_refused("vox-bench", {"convert", "cube.obj", "--res", "16", "--csv", "r.csv", "--html", "b.html"},
                 "same file");
  fs::create_symlink("s.h5", folder_ / "p.gpl");
  expect_refused("vox-convert", {"cube.obj", "--res", "16", "-o", "s.h5", "--palette-out", "p.gpl"},
                 "same file");
}

TEST_F(OutputsProgram, APaletteDoesNotReplaceATextureThatIsRead) {
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "100", "--texture-size", "16", "-o", "s.obj"}).code, 0);
  for (const auto& entry : fs::directory_iterator(folder_))
    if (entry.path().extension() == ".png")
      expect_refused("vox-convert",
                     {"s.obj", "--res", "16", "--palette-out", entry.path().filename().string()},
                     "would replace");
}

TEST_F(OutputsProgram, PartsLieBesideTheFileThatALinkLeadsTo) {
  fs::create_directories(folder_ / "real");
  fs::create_symlink("real/p.h5", folder_ / "p.h5");
  converted({"cube.obj", "--res", "64", "--parts", "-o", "p.h5", "-q"});
  EXPECT_TRUE(exists("real/p.parts") && !exists("p.parts"));
  EXPECT_EQ(digest("real/p.h5"), digest("cube.h5"));
  EXPECT_TRUE(has(converted({"--verify", "real/p.h5"}), "correct"));
}

// Another run writes one of the files, before this one begins or while it is at work.
TEST_F(OutputsProgram, FilesThatBelongTogetherAreWrittenByOneRunAtATime) {
  for (const auto& [program, to, locked] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"vox-convert", "a.obj", "a.obj"},
           {"vox-convert", "a.obj", "a.mtl"},
           {"vox-convert", "a.basic_dag.dag.bin", "a.basic_dag.uncompressed_colors.bin"},
           {"vox-render", "a.png", "a-1.png"}}) {
    const AtomicFile other(folder_ / locked, Writers::One);
    Arguments arguments = {"cube.h5", "-o", to};
    if (program == "vox-render") arguments.insert(arguments.end(), {"--size", "16x12", "--turntable", "3"});
    const auto before = listing(folder_);
    const Finished second = run(program, arguments);
    EXPECT_EQ(second.code, kFailed) << second.err;
    EXPECT_TRUE(one_error(second, locked + ": another run is writing this file", program)) << second.err;
    EXPECT_TRUE(listing(folder_) == before);
  }
}

TEST_F(OutputsProgram, AResultThatNobodyReadsIsAFailure) {
  const std::string folder = folder_.string(), bin = std::getenv("VOX_BIN");
  const std::string command = fmt::format(
      "cd '{}' && (sleep 0.5; '{}/vox-convert' --info cube.h5 2> err; echo $? > code) | :", folder, bin);
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_bytes(folder_ / "code"), "1\n");
  EXPECT_TRUE(has(read_bytes(folder_ / "err"), "standard output: the result cannot be written: Broken pipe"));
}

TEST_F(OutputsProgram, ALimitOfTheSizeOfFilesIsAnErrorAndNoSignal) {
  for (const char* to : {"a.h5", "a.vox", "a.nrrd", "a.vtkhdf"})
    expect_failure(kFailed, "File too large", {"cube.h5", "-o", to}, {.folder = {}, .file_size_limit = 1024});
}

TEST_F(OutputsProgram, AnInputThatBecomesShorterIsAnErrorThatNamesIt) {
  if (!fs::exists(preloaded("failing_calls"))) GTEST_SKIP() << kNothingToPreload;
  fs::create_directories(folder_ / "in");
  converted({"cube.h5", "-o", "cube.vl32", "-q"});
  for (const char* input : {"in/cube.obj", "in/cube.vl32"}) {
    fs::copy(folder_ / fs::path(input).filename(), folder_ / input);
    const Finished shrunk = run("vox-convert", {input, "--res", "64", "-o", "a.h5"},
                                {{"LD_PRELOAD", preloaded("failing_calls")},
                                 {"VOX_FAULT_FOLDER", (folder_ / "in").string()},
                                 {"VOX_FAULT_PROGRAM", "vox-"},
                                 {"VOX_FAULT_SHRINK", "1"}});
    EXPECT_EQ(shrunk.code, kFailed) << "signal " << shrunk.signal;
    EXPECT_TRUE(one_error(shrunk, std::string(input) + ": ends earlier than it did")) << shrunk.err;
    EXPECT_FALSE(exists("a.h5"));
  }
}

TEST_F(OutputsProgram, MaterialsAndTexturesThatTheDiskDoesNotGiveAreAnError) {
  if (!fs::exists(preloaded("failing_calls"))) GTEST_SKIP() << kNothingToPreload;
  fs::create_directories(folder_ / "in");
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "100", "--texture-size", "16", "-o", "s.obj"}).code, 0);
  for (const auto& entry : fs::directory_iterator(folder_))
    if (entry.path().extension() == ".png" || entry.path().extension() == ".mtl")
      fs::rename(entry.path(), folder_ / "in" / entry.path().filename());
  std::string text = read_bytes(folder_ / "s.obj");
  text.replace(text.find("mtllib "), 7, "mtllib in/");
  write("s.obj", text);
  size_t failures = 0;
  for (int at = 1; at <= 20; ++at) {
    const Finished failed = run("vox-convert", {"s.obj", "--res", "16", "-o", "a.h5"},
                                {{"LD_PRELOAD", preloaded("failing_calls")},
                                 {"VOX_FAULT_FOLDER", (folder_ / "in").string()},
                                 {"VOX_FAULT_PROGRAM", "vox-"},
                                 {"VOX_FAULT_AT", std::to_string(at)},
                                 {"VOX_FAULT_COUNT", (folder_ / "count").string()}});
    if (!has(read_bytes(folder_ / "count"), " open")) {
      EXPECT_EQ(failed.code, 0) << failed.err;
      continue;
    }
    ++failures;
    EXPECT_EQ(failed.code, kFailed);
    EXPECT_TRUE(one_error(failed, "in/s")) << failed.err;
  }
  EXPECT_GE(failures, 2u);
}

// Each system call on a file fails once, and from then on, for every kind of output of every tool. The program says so
// and leaves what was there, or it ends with exit code 0 and its output is whole. Calls that are interrupted or do less
// than was asked for change nothing.

constexpr uint64_t kMostFaults = 9;  // for each output

class WriteFaultsTest : public FaultsTest {
 protected:
  // Runs the command with a fault and checks the files after it. Returns true if the command failed.
  bool fails_soundly(const std::map<std::string, std::string>& fault, const std::string& title) {
    restore(old_);
    const Finished failed = run("64", fault);
    const std::string count = read_bytes(folder_ / "count");
    const std::string what = title + " (" + count + ") ";
    if (failed.code == 0) {
      expect_whole(expected_, old_, what);
    } else {
      EXPECT_EQ(failed.code, kFailed) << what << failed.err << " signal " << failed.signal;
      EXPECT_TRUE(one_error(failed, "", GetParam().program)) << what;
      EXPECT_TRUE(names_a_file(failed)) << what << failed.err;
      if (outputs() != old_) {
        EXPECT_TRUE(has(failed.err, "is written, but") || GetParam().comes_early())
            << what << " changed the files; " << failed.err;
        expect_whole(expected_, old_, what);
      }
    }
    if (!leftovers().empty()) expect_later_cleanup(count, what);
    return failed.code != 0;
  }

  std::map<std::string, std::string> old_, expected_;

 private:
  // Files stay if the call that removes them failed, or the one that tells which file it is. The next run removes them.
  void expect_later_cleanup(const std::string& count, const std::string& what) const {
    constexpr std::array<std::string_view, 6> kMayLeave = {" unlink", " rmdir", " remove",
                                                           " openat", " lstat", " fstat"};
    EXPECT_TRUE(
        std::ranges::any_of(kMayLeave, [&](std::string_view call) { return has(count, std::string(call)); }))
        << what << leftovers().front();
    EXPECT_EQ(run("64", {}).code, 0) << what;
    EXPECT_EQ(leftovers(), std::vector<std::string>()) << what;
  }
};

TEST_P(WriteFaultsTest, AFailedCallIsAFailedCommand) {
  const Finished before = run("32", {});
  ASSERT_EQ(before.code, 0) << before.err;
  old_ = outputs();
  const Finished complete = run("64", {});
  ASSERT_EQ(complete.code, 0) << complete.err;
  expected_ = outputs();
  ASSERT_FALSE(expected_ == old_);
  const uint64_t writes = calls_of_last_run();
  ASSERT_GE(writes, 4u);
  restore(old_);
  ASSERT_EQ(run("64", {{"VOX_FAULT_READS", "1"}}).code, 0);
  const uint64_t calls = calls_of_last_run();
  ASSERT_GT(calls, writes);

  uint64_t failures = 0;
  for (const uint64_t at : fault_numbers(calls, kMostFaults, GetParam().name)) {
    failures += fails_soundly({{"VOX_FAULT_READS", "1"}, {"VOX_FAULT_AT", std::to_string(at)}},
                              fmt::format("call {} of {}", at, calls));
    if (HasFailure()) return;
  }
  for (const uint64_t at : fault_numbers(writes, kMostFaults / 3, GetParam().name)) {
    failures += fails_soundly({{"VOX_FAULT_KEEP", "1"}, {"VOX_FAULT_AT", std::to_string(at)}},
                              fmt::format("call {} of {} and all later ones", at, writes));
    if (HasFailure()) return;
  }
  EXPECT_GT(failures, 2u);
}

TEST_P(WriteFaultsTest, CallsThatAreInterruptedOrShortChangeNothing) {
  ASSERT_EQ(run("32", {}).code, 0);
  const std::map<std::string, std::string> old = outputs();
  ASSERT_EQ(run("64", {}).code, 0);
  const std::map<std::string, std::string> expected = outputs();
  for (const std::map<std::string, std::string>& environment :
       {std::map<std::string, std::string>{{"VOX_FAULT_SHORT", "1"}},
        {{"VOX_FAULT_INTERRUPT", "1"}},
        {{"VOX_FAULT_SHORT", "1"}, {"VOX_FAULT_INTERRUPT", "1"}}}) {
    restore(old);
    const Finished disturbed = run("64", environment);
    EXPECT_EQ(disturbed.code, 0) << environment.begin()->first << disturbed.err;
    expect_whole(expected, old, environment.begin()->first);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryKind, WriteFaultsTest, testing::ValuesIn(sampled(faulty_outputs())),
                         [](const auto& test) { return test.param.name; });

// Each request of the tools for memory fails once, for every kind of output. The program says so and leaves what was
// there, or what it has written is whole; it never crashes.

constexpr uint64_t kMostRequests = 4;  // for each output
constexpr uint64_t kMostHdf5Requests = 24;

class AllocationFaultsTest : public FaultsTest {
 protected:
  Finished run_without(const std::string& resolution, uint64_t request,
                       const std::string& callers = "vox") const {
    std::map<std::string, std::string> environment = {{"VOX_FAIL_CALLERS", callers},
                                                      {"VOX_FAIL_COUNT", (folder_ / "requests").string()},
                                                      {"VOX_FAIL_AT", std::to_string(request)}};
    environment["LD_PRELOAD"] = preloaded("failing_calls") + ":" + preloaded("failing_malloc");
    return run(resolution, environment);
  }

  uint64_t requests_of_last_run() const {
    uint64_t requests = 0;
    std::ifstream(folder_ / "requests") >> requests;
    return requests;
  }
};

TEST_P(AllocationFaultsTest, LackOfMemoryIsAnErrorAndLeavesNothingHalfWritten) {
  ASSERT_EQ(run("32", {}).code, 0);
  const std::map<std::string, std::string> old = outputs();
  ASSERT_EQ(run_without("64", 0).code, 0);
  const std::map<std::string, std::string> expected = outputs();
  const uint64_t requests = requests_of_last_run();
  uint64_t failures = 0;
  ASSERT_GT(requests, 100u);
  for (const uint64_t at : fault_numbers(requests, kMostRequests, GetParam().name)) {
    restore(old);
    const Finished failed = run_without("64", at);
    const std::string what =
        fmt::format("request {} of {}: signal {}, {}", at, requests, failed.signal, failed.err);
    if (failed.code != 0) {
      ++failures;
      EXPECT_EQ(failed.code, kFailed) << what;
      EXPECT_TRUE(one_error(failed, "out of memory", GetParam().program)) << what;
    }
    EXPECT_EQ(leftovers(), std::vector<std::string>()) << what;
    for (const auto& [path, bytes] : outputs())  // several results of one command appear one after the other
      if (!old.contains(path) || old.at(path) != bytes) expect_whole_file(path, bytes, expected, what);
    if (HasFailure()) return;
  }
  EXPECT_GT(failures, 2u);
}

// HDF5 ends the program itself if some of its requests fail, and crashes after a few others.
class Hdf5FaultsTest : public AllocationFaultsTest {};

TEST_P(Hdf5FaultsTest, ALibraryThatEndsTheProgramForLackOfMemoryIsAnError) {
  ASSERT_EQ(run("32", {}).code, 0);
  const std::map<std::string, std::string> old = outputs();
  ASSERT_EQ(run_without("64", 0, "hdf5").code, 0);
  const uint64_t requests = requests_of_last_run();
  ASSERT_GT(requests, 1000u);
  uint64_t ended = 0;
  for (const uint64_t at : fault_numbers(requests, kMostHdf5Requests, GetParam().name)) {
    restore(old);
    const Finished failed = run_without("64", at, "hdf5");
    const std::string what = fmt::format("request {} of {}: {}", at, requests, failed.err);
    if (failed.signal == 0 && failed.code != 0) {
      EXPECT_EQ(failed.code, kFailed) << what;
      EXPECT_TRUE(has(failed.err, GetParam().program + ": error: "))
          << what;  // behind words of HDF5, at times
    }
    ended += has(failed.err, "a library has ended the program");
    if (failed.signal == 0 && failed.code == 0)
      converted({"out/a.h5", "--verify", "-q"});  // HDF5 may have placed its parts otherwise
    else
      EXPECT_EQ(outputs(), old) << what;
  }
  EXPECT_GT(ended, 0u);
}

INSTANTIATE_TEST_SUITE_P(AScene, Hdf5FaultsTest, testing::Values(faulty_outputs().front()),
                         [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(EveryKind, AllocationFaultsTest, testing::ValuesIn(sampled(faulty_outputs())),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace vox
