// Each system call on an output fails once, and from then on, for every kind of output of every tool. The program says
// so and leaves what was there, or it ends with exit code 0 and its output is whole.

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "formats/io/h5_new_file.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

struct Output {
  std::string name;
  std::string program;
  std::vector<std::string> arguments;  // R stands for 32 in the run before, and for 64 in the run that fails
};

void PrintTo(const Output& output, std::ostream* out) {
  *out << output.name;
}

const std::vector<Output> kOutputs = {
    {"Scene", "vox-convert", {"cube.obj", "--res", "R", "-o", "out/a.h5"}},
    {"SceneOfScene", "vox-convert", {"R.h5", "--res", "16", "-o", "out/a.h5", "--force"}},
    {"SceneOfVersion1", "vox-convert", {"cube.obj", "--res", "R", "--file-version", "1", "-o", "out/a.h5"}},
    {"StoredScene", "vox-convert", {"cube.obj", "--res", "R", "--compression", "none", "-o", "out/a.h5"}},
    {"Bricks", "vox-convert", {"volume_RxRxR_uint8.raw", "-o", "out/a.h5"}},
    {"SceneAndBricks", "vox-convert", {"R.h5", "--structure", "svdag,bricks", "-o", "out/a.h5"}},
    {"Hash", "vox-convert", {"R.h5", "--structure", "hash", "-o", "out/a.h5"}},
    {"Parts", "vox-convert", {"cube.obj", "--res", "R", "--parts", "-o", "out/a.h5"}},
    {"PaletteOut",
     "vox-convert",
     {"cube.obj", "--res", "R", "-o", "R-again.h5", "--force", "--palette", "R.hex", "--palette-out",
      "out/p.gpl"}},
    {"MagicaVoxel", "vox-convert", {"R.h5", "-o", "out/a.vox"}},
    {"Nrrd", "vox-convert", {"R.h5", "-o", "out/a.nrrd"}},
    {"Npy", "vox-convert", {"R.h5", "-o", "out/a.npy", "--force"}},
    {"Raw", "vox-convert", {"R.h5", "-o", "out/a.raw", "--force"}},
    {"Npz", "vox-convert", {"R.h5", "-o", "out/a.npz"}},
    {"GprMax", "vox-convert", {"R.h5", "-o", "out/a.gprmax.h5"}},
    {"Pieces", "vox-convert", {"R.h5", "-o", "out/cells/a.npz", "--pieces", "32"}},
    {"MaterialsOut",
     "vox-convert",
     {"cube.obj", "--res", "R", "-o", "R-again.h5", "--force", "--palette", "R.hex", "--materials-out",
      "out/m.json"}},
    {"Binvox", "vox-convert", {"R.h5", "-o", "out/a.binvox", "--force"}},
    {"Schem", "vox-convert", {"R.h5", "-o", "out/a.schem"}},
    {"Nvdb", "vox-convert", {"R.h5", "-o", "out/a.nvdb"}},
    {"Vdb", "vox-convert", {"R.h5", "-o", "out/a.vdb"}},
    {"VtkImage", "vox-convert", {"R.h5", "-o", "out/a.vtkhdf"}},
    {"Layers", "vox-convert", {"R.h5", "-o", "out/layers/%03d.png", "--clip", "0,0,0,0.1,0.1,0.1"}},
    {"Chunks", "vox-convert", {"R.h5", "-o", "out/chunks/scene.json"}},
    {"HashDag", "vox-convert", {"R.h5", "-o", "out/a.basic_dag.dag.bin", "--force"}},
    {"SymVox", "vox-convert", {"R.h5", "-o", "out/a.svdag", "--force"}},
    {"SymVoxMirrored", "vox-convert", {"R.h5", "-o", "out/a.ussvdag", "--force"}},
    {"Vl32", "vox-convert", {"R.h5", "-o", "out/a.vl32", "--force"}},
    {"SurfaceObj", "vox-convert", {"R.h5", "-o", "out/a.obj"}},
    {"SurfaceGlb", "vox-convert", {"R.h5", "-o", "out/a.glb"}},
    {"SurfacePly", "vox-convert", {"R.h5", "-o", "out/a.ply"}},
    {"PointsPly", "vox-convert", {"R.h5", "-o", "out/a.ply", "--ply", "points"}},
    {"VolumeNrrd", "vox-convert", {"volumeR.h5", "-o", "out/a.nrrd"}},
    {"EditedScene", "vox-edit", {"R.h5", "--script", "edit.txt", "-o", "out/a.h5"}},
    {"SceneEditedInPlace", "vox-edit", {"out/s.h5", "--script", "R.txt", "-o", "out/s.h5"}},
    {"EditLog",
     "vox-edit",
     {"R.h5", "--script", "edit.txt", "-o", "R-e.h5", "--force", "--log", "out/log.h5"}},
    {"EditRows", "vox-edit", {"R.h5", "--script", "edit.txt", "--log", "out/log.csv"}},
    {"EditPage", "vox-edit", {"R.h5", "--script", "edit.txt", "--html", "out/log.html"}},
    {"StatsReport", "vox-stats", {"R.h5", "--only", "levels", "-o", "out/report.h5"}},
    {"StatsPage", "vox-stats", {"R.h5", "--only", "levels", "--html", "out/report.html"}},
    {"AgainstReport", "vox-stats", {"R.h5", "--against", "R.h5", "-o", "out/against.h5"}},
    {"Picture", "vox-render", {"R.h5", "--size", "64x48", "-o", "out/a.png"}},
    {"Pictures", "vox-render", {"R.h5", "--size", "64x48", "--turntable", "3", "-o", "out/a.png"}},
    {"Film", "vox-render", {"R.h5", "--size", "64x48", "--turntable", "3", "-o", "out/a.mp4"}},
    {"ScenePage", "vox-render", {"R.h5", "--html", "out/a.html"}},
    {"SceneStream", "vox-render", {"R.h5", "--html", "out/a", "--stream"}},
    {"MadeObj", "vox-scene", {"bumpy-sphere", "--triangles", "R", "--texture-size", "16", "-o", "out/a.obj"}},
    {"MadeGlb", "vox-scene", {"bumpy-sphere", "--triangles", "R", "--texture-size", "16", "-o", "out/a.glb"}},
    {"BenchReport",
     "vox-bench",
     {"convert", "cube.obj", "--res", "R", "--materials", "none", "--coverage", "thin", "--repetitions", "1",
      "-o", "out/b.h5"}},
    {"BenchPage",
     "vox-bench",
     {"convert", "cube.obj", "--res", "R", "--materials", "none", "--coverage", "thin", "--repetitions", "1",
      "--html", "out/b.html"}},
    {"BenchRows",
     "vox-bench",
     {"convert", "cube.obj", "--res", "R", "--materials", "none", "--coverage", "thin", "--repetitions", "1",
      "--csv", "out/b.csv"}},
};

std::vector<std::string> with_resolution(std::vector<std::string> arguments, const std::string& resolution) {
  for (std::string& argument : arguments)
    for (size_t at = 0; (at = argument.find('R', at)) != std::string::npos; at += resolution.size())
      argument.replace(at, 1, resolution);
  return arguments;
}

class WriteFaultsTest : public ProgramTest, public testing::WithParamInterface<Output> {
 protected:
  void SetUp() override {
#ifndef VOX_FAILING_CALLS
    GTEST_SKIP() << "not in programs with sanitizers";
#else
    if (!fs::exists(VOX_FAILING_CALLS)) GTEST_SKIP() << "no " << VOX_FAILING_CALLS;
#endif
    ProgramTest::SetUp();
    if (folder_.empty()) return;
    fs::create_directories(folder_ / "out");
    write("cube.obj", cube_obj());
    write("edit.txt", "sphere add center 8,8,8 radius 4 material 1\n");
    write("32.hex", "ff0000\n00ff00\n");
    write("64.hex", "0000ff\n00ff00\n");
    write("32.txt", "sphere add center 8,8,8 radius 4 material 1\n");
    write("64.txt", "sphere remove center 8,8,8 radius 6\n");
    for (const char* resolution : {"16", "32", "64"})
      converted({"cube.obj", "--res", resolution, "-o", std::string(resolution) + ".h5", "-q"});
    for (const uint32_t side : {32u, 64u}) {
      std::string values(size_t{side} * side * side, '\0');
      for (size_t i = 0; i < values.size(); i += 7) values[i] = static_cast<char>(i % 251);
      const std::string raw = fmt::format("volume_{0}x{0}x{0}_uint8.raw", side);
      write(raw, values);
      converted({raw, "-o", fmt::format("volume{}.h5", side), "-q"});
    }
    fs::copy(folder_ / "32.h5", folder_ / "out/s.h5");
  }

  Finished run(const std::string& resolution, const std::map<std::string, std::string>& environment) const {
    RunOptions options;
    options.folder = folder_;
    options.environment = environment;
    return run_program(GetParam().program, with_resolution(GetParam().arguments, resolution), options);
  }

  std::map<std::string, std::string> outputs() const {
    return listing(folder_ / "out");
  }

  void restore(const std::map<std::string, std::string>& files) const {
    if (outputs() == files) return;
    fs::remove_all(folder_ / "out");
    fs::create_directories(folder_ / "out");
    for (const auto& [path, bytes] : files) {
      fs::create_directories(fs::path(path).parent_path());
      if (fs::path(path).has_extension() && !path.ends_with(".parts")) write_bytes(path, bytes);
    }
  }

  // Files that hold times differ from run to run.
  void expect_whole(const std::map<std::string, std::string>& expected,
                    const std::map<std::string, std::string>& old, const std::string& what) const {
    const std::map<std::string, std::string> found = outputs();
    for (const auto& [path, bytes] : found) {
      // Parts of the scene before stay if it is not certain that no other scene names them.
      if (path.find(".parts/") != std::string::npos && old.contains(path)) continue;
      ASSERT_TRUE(expected.contains(path)) << what << " left " << path;
      const std::string extension = fs::path(path).extension();
      const std::string& whole = expected.at(path);
      if (extension == ".h5") {
        EXPECT_NO_THROW(h5::check_written(path, path)) << what;
      }
      if (extension == ".h5" || extension == ".html" || extension == ".csv")
        EXPECT_NEAR(double(bytes.size()), double(whole.size()), double(whole.size()) / 8 + 200)
            << what << path;
      else
        EXPECT_TRUE(bytes == whole) << what << ", " << path;
    }
    for (const auto& [path, bytes] : expected) EXPECT_TRUE(found.contains(path)) << what << " lacks " << path;
  }
};

TEST_P(WriteFaultsTest, AFailedCallIsAFailedCommand) {
#ifdef VOX_FAILING_CALLS
  if (GetParam().name == "Film" && std::system("ffmpeg -version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "ffmpeg is not installed";
  std::map<std::string, std::string> environment = {{"LD_PRELOAD", VOX_FAILING_CALLS},
                                                    {"VOX_FAULT_FOLDER", (folder_ / "out").string()},
                                                    {"VOX_FAULT_PROGRAM", "vox-"},
                                                    {"VOX_FAULT_COUNT", (folder_ / "count").string()}};
  const Finished before = run("32", {});
  ASSERT_EQ(before.code, 0) << before.err;
  const std::map<std::string, std::string> old = outputs();
  const Finished complete = run("64", environment);
  ASSERT_EQ(complete.code, 0) << complete.err;
  const std::map<std::string, std::string> expected = outputs();
  ASSERT_FALSE(expected == old);
  uint64_t calls = 0;
  std::ifstream(folder_ / "count") >> calls;
  ASSERT_GE(calls, 4u);

  uint64_t failures = 0;
  for (uint64_t at = 1; at <= calls; ++at)
    for (const bool keep : {false, true}) {
      if (keep && at % 3 != 0) continue;
      restore(old);
      environment["VOX_FAULT_AT"] = std::to_string(at);
      keep ? environment.insert({"VOX_FAULT_KEEP", "1"}).second : environment.erase("VOX_FAULT_KEEP") > 0;
      const Finished failed = run("64", environment);
      const std::string what = fmt::format("call {} of {}{} ({})", at, calls,
                                           keep ? " and all later ones" : "", read_bytes(folder_ / "count"));
      if (failed.code == 0) {
        expect_whole(expected, old, what);
        continue;
      }
      ++failures;
      EXPECT_EQ(failed.code, kFailed) << what << failed.err;
      EXPECT_TRUE(one_error(failed, "out", GetParam().program)) << what;
      if (outputs() == old) continue;
      EXPECT_TRUE(has(failed.err, "is written, but")) << what << " changed the files; " << failed.err;
      expect_whole(expected, old, what);
      if (HasFailure()) return;
    }
  EXPECT_GT(failures, 2u);
#endif
}

INSTANTIATE_TEST_SUITE_P(EveryKind, WriteFaultsTest, testing::ValuesIn(sampled(kOutputs)),
                         [](const auto& test) { return test.param.name; });

// Programs write text of files without its control characters to stdout and stderr, and report an error if the result
// cannot be written.

// Sets a title, rings, turns text around, and is no UTF-8: ESC ] BEL, CSI of 8 bits, U+202E, a byte of its own.
constexpr const char* kHostile =
    "wood\x1b]0;owned\x07\xc2\x9b"
    "2J\xe2\x80\xae\xff";
constexpr const char* kShown = "wood\\x1b]0;owned\\x07\\u009b2J\\u202e\\xff";

bool has_controls(const std::string& text) {
  return text.find_first_of("\x1b\x07\x7f\xff") != std::string::npos || has(text, "\xc2\x9b") ||
         has(text, "\xe2\x80\xae");
}

class Streams : public CubesTest {
 protected:
  // A scene whose palette has a hostile name, made by a script of Python.
  void make_hostile_scene() const {
    write("name.bin", kHostile);
    python(R"(
import h5py, shutil
import numpy as np
shutil.copy('cube.h5', 'hostile.h5')
name = open('name.bin', 'rb').read()
f = h5py.File('hostile.h5', 'r+')
count = len(f['palette/names'])
del f['palette/names']
f['palette'].create_dataset('names', data=np.array([name] * count, dtype=f'S{len(name)}'))
for key in ('source', 'command'):
    f.attrs.create(key, np.bytes_(name))
)");
  }
};

TEST_F(Streams, NamesInSceneFilesAreShownWithoutControlCharacters) {
  make_hostile_scene();
  for (const auto& [program, arguments] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"vox-convert", {"--info", "hostile.h5"}},
           {"vox-convert", {"--info", "hostile.h5", "--json"}},
           {"vox-stats", {"hostile.h5", "--only", "scene,materials"}},
           {"vox-stats", {"hostile.h5", "--only", "scene,materials", "--json"}}}) {
    const Finished run = run_program(program, arguments, {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(has(run.out, arguments.back() == "--json" ? "wood\\u001b]0;owned\\u0007\\u009b2J" : kShown))
        << program << run.out;
    EXPECT_FALSE(has_controls(run.out) || has_controls(run.err)) << program << run.out << run.err;
  }
}

TEST_F(Streams, NamesInMessagesAreShownWithoutControlCharactersOnOneLine) {
  const std::string name = std::string(kHostile) + "\nvox-convert: done.obj";
  write(name, "this is no mesh");
  expect_failure(kFailed, std::string(kShown) + "\\nvox-convert: done.obj", {name, "--res", "64"});
  write("a.obj", std::string("mtllib ") + kHostile + "\n" + cube_obj());
  const Finished run = convert({"a.obj", "--res", "16", "-o", "a.h5"});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(has(run.err, kShown) && !has_controls(run.err)) << run.err;
}

TEST_F(Streams, AResultThatCannotBeWrittenIsAFailure) {
  const std::vector<std::string> info = {"--info", "cube.h5"};
  const Finished full = convert(info, {.folder = {}, .file_size_limit = {}, .out_file = "/dev/full"});
  EXPECT_EQ(full.code, kFailed);
  EXPECT_TRUE(one_error(full, "standard output: the result cannot be written: No space left")) << full.err;
  const Finished closed =
      convert(info, {.folder = {}, .file_size_limit = {}, .closed_streams = {STDOUT_FILENO}});
  EXPECT_EQ(closed.code, kFailed);
  EXPECT_TRUE(one_error(closed, "standard output: the result cannot be written")) << closed.err;
  for (const char* form : {"--help", "--version"})
    EXPECT_EQ(convert({form}, {.folder = {}, .file_size_limit = {}, .out_file = "/dev/full"}).code, kFailed);
}

TEST_F(Streams, ClosedStreamsAreNeitherACrashNorTheNumbersOfFiles) {
  const std::vector<int> all = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  for (const char* program : {"vox-convert", "vox-stats"}) {
    const Finished run = run_program(program, {"missing.h5"},
                                     {.folder = folder_, .file_size_limit = {}, .closed_streams = all});
    EXPECT_EQ(run.code, kFailed) << program << " signal " << run.signal;
  }
  write("cube.obj", cube_obj());
  const Finished made = convert({"cube.obj", "--res", "64", "-o", "made.h5"},
                                {.folder = {}, .file_size_limit = {}, .closed_streams = all});
  EXPECT_EQ(made.code, 0);
  EXPECT_EQ(digest("made.h5"), digest("cube.h5"));
}

#ifdef VOX_FAILING_MALLOC
TEST_F(Streams, LackOfMemoryIsAnErrorWhereverItOccurs) {
  if (!std::filesystem::exists(VOX_FAILING_MALLOC)) GTEST_SKIP() << "the library is not beside the test";
  setenv("LD_PRELOAD", VOX_FAILING_MALLOC, 1);
  uint64_t failures = 0;
  for (const char* to : {"t.vox", "t.h5"})
    for (uint32_t bytes = 64 << 10; bytes <= 8 << 20; bytes *= 2) {
      setenv("VOX_FAIL_MALLOC", std::to_string(bytes).c_str(), 1);
      const Finished run = convert({"cube.h5", "-o", to, "--force"});
      EXPECT_EQ(run.signal, 0) << to << ", blocks of " << bytes << " bytes";
      EXPECT_TRUE(run.code == 0 || one_error(run, "cube.h5: out of memory")) << to << ", " << bytes;
      failures += run.code != 0 ? 1 : 0;
    }
  unsetenv("LD_PRELOAD");
  unsetenv("VOX_FAIL_MALLOC");
  EXPECT_GE(failures, 2u);
}
#endif

}  // namespace
}  // namespace vox
