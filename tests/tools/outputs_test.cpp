// Something happens to the files of a run, or several of its files are one: links, a broken disk, a limit, a closed pipe.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "libvox/base/files.h"
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

#ifdef VOX_FAILING_CALLS
TEST_F(OutputsProgram, AnInputThatBecomesShorterIsAnErrorThatNamesIt) {
  if (!fs::exists(VOX_FAILING_CALLS)) GTEST_SKIP() << "no " << VOX_FAILING_CALLS;
  fs::create_directories(folder_ / "in");
  converted({"cube.h5", "-o", "cube.vl32", "-q"});
  for (const char* input : {"in/cube.obj", "in/cube.vl32"}) {
    fs::copy(folder_ / fs::path(input).filename(), folder_ / input);
    const Finished shrunk = run("vox-convert", {input, "--res", "64", "-o", "a.h5"},
                                {{"LD_PRELOAD", VOX_FAILING_CALLS},
                                 {"VOX_FAULT_FOLDER", (folder_ / "in").string()},
                                 {"VOX_FAULT_PROGRAM", "vox-"},
                                 {"VOX_FAULT_SHRINK", "1"}});
    EXPECT_EQ(shrunk.code, kFailed) << "signal " << shrunk.signal;
    EXPECT_TRUE(one_error(shrunk, std::string(input) + ": ends earlier than it did")) << shrunk.err;
    EXPECT_FALSE(exists("a.h5"));
  }
}

TEST_F(OutputsProgram, MaterialsAndTexturesThatTheDiskDoesNotGiveAreAnError) {
  if (!fs::exists(VOX_FAILING_CALLS)) GTEST_SKIP() << "no " << VOX_FAILING_CALLS;
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
                                {{"LD_PRELOAD", VOX_FAILING_CALLS},
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
#endif

}  // namespace
}  // namespace vox
