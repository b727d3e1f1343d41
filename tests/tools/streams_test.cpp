// Programs write text of files without its control characters to stdout and stderr, and report an error if the result
// cannot be written.

#include <unistd.h>

#include <cstdlib>

#include "tests/tools/program.h"

namespace vox {
namespace {

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
