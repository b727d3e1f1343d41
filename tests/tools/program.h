// Runs the real programs as child processes and keeps their output.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/scene/scene_file.h"
#include "libvox/hash/table_options.h"
#include "tests/common/random.h"
#include "tests/common/read_bytes.h"
#include "tests/common/test_engine.h"

namespace vox {

struct Finished {
  int code = -1;   // exit code, -1 after a signal
  int signal = 0;  // the signal that ended it; SIGKILL after the time limit
  std::string out, err;
  uint64_t peak_bytes = 0;  // the largest memory use
};

struct RunOptions {
  std::filesystem::path folder;                // the current folder of the program
  std::optional<uint64_t> file_size_limit;     // bytes; writing beyond fails as on a full disk
  std::optional<double> interrupt_after = {};  // seconds from when the program handles SIGINT
  std::string signal_when_exists = {};         // a file in the folder; `signal` is sent when it exists
  int signal = 0;
  std::map<std::string, std::string> environment = {};  // added to this process's variables
  std::string out_file = {};                            // stdout, instead of what Finished::out keeps
  std::vector<int> closed_streams = {};                 // descriptors that the program starts without
};

// Runs a program and ends it by SIGKILL after two minutes. `name` is a program in the folder that VOX_BIN
// names.
Finished run_program(const std::string& name, const std::vector<std::string>& arguments,
                     const RunOptions& options);

// True if VOX_BIN names a folder with the programs.
bool have_programs();

// Returns every file and folder below `folder`, with the content of files.
std::map<std::string, std::string> listing(const std::filesystem::path& folder);

void write_bytes(const std::filesystem::path& file, const std::string& bytes);

// True if a program's output contains this part.
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Returns a closed cube from 0 to 1 in 12 triangles or 6 squares.
std::string cube_obj();

inline constexpr int kFailed = 1, kBadUsage = 2, kInterrupted = 130;  // exit codes

// A test of one program. It has a new folder of its own, which is the current folder of all programs.
class ProgramTest : public testing::Test {
 protected:
  explicit ProgramTest(std::string program = "vox-convert") : program_(std::move(program)) {}
  void SetUp() override;
  void TearDown() override;

  // Run the program, or vox-convert, on the device under test.
  Finished ran(const std::vector<std::string>& arguments, const RunOptions& options = {}) const {
    return run_on_device(program_, arguments, options);
  }
  Finished convert(const std::vector<std::string>& arguments, const RunOptions& options = {}) const {
    return run_on_device("vox-convert", arguments, options);
  }
  Finished scene(const std::vector<std::string>& arguments) const;

  // Do the same, expect exit code 0 and no error, and return the text on stdout.
  std::string printed(const std::vector<std::string>& arguments) const;
  std::string converted(const std::vector<std::string>& arguments) const;
  // Expects that the program exits with `code`, prints one error that contains `text`, and leaves the folder
  // unchanged.
  void expect_failure(int code, const std::string& text, const std::vector<std::string>& arguments,
                      const RunOptions& options = {}) const;

  // Makes cube.h5, a shell of 64³ with materials, and bare.h5, the same without materials.
  void make_cubes() const;
  // Runs a Python program in the folder and returns its output. If it needs h5py, which is not installed, the
  // test is skipped.
  std::string python(const std::string& text) const;

  std::string write(const std::string& name, const std::string& content) const;  // returns the name
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  std::string digest(const std::string& scene_file) const;

  std::filesystem::path folder_;

 private:
  Finished run_on_device(const std::string& program, std::vector<std::string> arguments,
                         RunOptions options) const;

  std::string program_;
};

// A test of one program with cube.h5 and bare.h5.
class CubesTest : public ProgramTest {
 protected:
  using ProgramTest::ProgramTest;
  void SetUp() override;
};

// True if the program printed one line, `PROGRAM: error: …`, that contains `text`; otherwise the result lists
// its output.
testing::AssertionResult one_error(const Finished& run, const std::string& text,
                                   const std::string& program = "vox-convert");

// Returns the value of a key in the program's JSON, such as "digest" or "seconds.load", as JSON text; "" if
// the key is missing.
std::string json_value(const std::string& json, const std::string& key);

// The fixture that tests of vox-convert with volumes share.

// A volume of 20 x 14 x 9 voxels with a ball around its center.
inline std::string ball(uint32_t scale) {
  std::string bytes;
  for (int z = 0; z < 9; ++z)
    for (int y = 0; y < 14; ++y)
      for (int x = 0; x < 20; ++x) {
        const int r = (x - 10) * (x - 10) + (y - 7) * (y - 7) + (z - 4) * (z - 4);
        bytes += static_cast<char>(r > 40 ? 0 : (40 - r) * static_cast<int>(scale));
      }
  return bytes;
}

class BricksProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (!folder_.empty()) write("ball_20x14x9_uint8.raw", ball(6));
  }
  // Returns the bytes after the header.
  std::string values(const std::string& nrrd) const {
    const std::string bytes = read_bytes(folder_ / nrrd);
    return bytes.substr(bytes.find("\n\n") + 2);
  }
  // Returns a digest of the whole group /bricks.
  std::string bricks_digest(const std::string& file) const {
    return python("import h5py, hashlib\ng = h5py.File('" + file + R"(')['bricks']
print([(n, hashlib.sha1(g[n][()].tobytes()).hexdigest()) for n in g])
print(sorted((n, str(v)) for n, v in g.attrs.items())))");
  }
};

class EditProgram : public CubesTest {
 protected:
  EditProgram() : CubesTest("vox-edit") {}

  // Expects an error in a bad script.
  void expect_bad_script(const std::string& text, const std::string& script,
                         const std::string& scene = "cube.h5") {
    write("bad.txt", script);
    expect_failure(kFailed, text, {scene, "--script", "bad.txt", "-o", "x.h5"});
    expect_failure(kFailed, text, {scene, "--script", "bad.txt", "--check"});
  }

  // Returns the scene after the script, which is written to `name` and verified.
  dag::VoxelScene edited(const std::string& script, const std::string& name = "edited.h5",
                         const std::vector<std::string>& more = {}, const std::string& scene = "cube.h5") {
    write("script.txt", script);
    std::vector<std::string> arguments = {scene, "-s", "script.txt", "-o", name, "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    printed(arguments);
    expect_correct(name);
    return read_scene(folder_ / name);
  }
  void expect_correct(const std::string& name) {
    EXPECT_NE(converted({"--verify", name}).find("correct"), std::string::npos) << name;
  }
};

// The command adds 64 voxels of material 3 away from the shell of the cube.
const std::string kBox = "box add min 20,20,20 max 24,24,24 material 3\n";

inline uint64_t json_number(const std::string& json, const std::string& key) {
  return std::stoull(json_value(json, key));
}

// The next tests are about the scene that is written.

}  // namespace vox
