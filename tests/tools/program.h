// Runs the real programs as child processes and keeps their output, looks at their pages in a browser, starts several
// processes by mpirun, and makes calls fail while a program writes.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "formats/scene/scene_file.h"
#include "libvox/hash/table_options.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/common/test_process.h"

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

// Returns the path of a library of preload/, which makes calls of a program fail. It does not exist where tests run
// apart from their build, nor beside programs with a sanitizer, which must be the first library that is loaded.
std::string preloaded(const std::string& name);
inline constexpr const char* kNothingToPreload = "no library that makes calls fail";

// True if VOX_BIN names a folder with the programs.
bool have_programs();

// Returns every file and folder below `folder`, with the content of files.
std::map<std::string, std::string> listing(const std::filesystem::path& folder);

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

  // Copies into the folder what `make` makes in an empty folder, when the first test of the process asks for this name.
  void make_once(const std::string& name, const std::function<void()>& make);
  // Makes cube.h5, a shell of 64³ with materials, and bare.h5, the same without materials.
  void make_cubes();
  // Runs a Python program in the folder and returns its output. If it needs h5py, which is not installed, the
  // test is skipped.
  std::string python(const std::string& text) const;

  std::string write(const std::string& name, const std::string& content) const;  // returns the name
  // Writes boxes.obj: three boxes beside each other, "box 0" to "box 2", of the materials red, "blue paint" and red.
  void write_boxes() const;
  static bool has_numpy();
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

// Report pages in the browser that a reader would use: Chromium without a window (browser.cpp).

bool have_browser();

struct PageLook {
  int charts = 0, pictures = 0, texts = 0;  // texts: the pieces of text that were compared with each other
  std::vector<std::string> faults;          // "1280 px: …", "390 px: …", "console: …"
};

// Opens the page 1280 and 390 pixels wide. It reports console messages, charts without marks, charts and
// pictures that are not shown, texts that overlap, are cut off, leave their chart or are too small to read,
// and anything wider than the page. It needs a browser, and it writes files beside the page.
PageLook look_at(const std::filesystem::path& page);
// Does the same for several pages of a folder in one browser. A console message counts as a fault of every page.
std::vector<PageLook> look_at(const std::filesystem::path& folder, const std::vector<std::string>& pages);

// Drives Chromium from a test's Python program: it opens pages, queries them and clicks, as a reader would.

// Returns the browser's name on this machine. It is "" if there is no browser, or if programs are
// instrumented, because these write the same pages.
std::string browser_name();

// Returns the text of a Python module that drives Chromium through its pipe.
std::string chromium_driver();

// Reads the numbers back from report pages.

// Python code that reads the tables of page.html: tables[title][row][column] = (text, value).
inline constexpr const char* kReadTables = R"(
import html.parser, json
class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tables, self.cell, self.skip = {}, None, False
    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if a.get('role') == 'region': self.tables[a['aria-label']] = self.rows = []
        if tag == 'tr': self.rows.append([])
        if tag in ('td', 'th'): self.cell = ['', None]
        if tag == 'data': self.cell[1] = float(a['value'])
        if tag == 'small': self.skip = True
    def handle_endtag(self, tag):
        if tag == 'small': self.skip = False
        if tag in ('td', 'th'):
            self.rows[-1].append(tuple([self.cell[0].strip(), self.cell[1]]))
            self.cell = None
    def handle_data(self, data):
        if self.cell and not self.skip: self.cell[0] += data
reader = Reader()
reader.feed(open('page.html', encoding='utf-8').read())
def table(title):
    head, *rows = reader.tables[title]
    return {row[0][0]: {name[0]: cell for name, cell in zip(head[1:], row[1:])} for row in rows}
count = lambda n: ('{:,}'.format(n), n)
def mib(cell, n):
    assert cell[1] == n and abs(float(cell[0].replace(',', '')) - n / 2**20) < 0.0051, (cell, n)
)";

// Tests of programs that mpirun starts in several processes.

// A test that may start processes if have_mpirun().
class LaunchedProgram : public ProgramTest {
 protected:
  Finished launched(uint32_t count, const std::string& program, std::vector<std::string> arguments) const {
    return run_by_env(count, {program_path(program)}, std::move(arguments));
  }

  // Runs the program so that each process writes its process id to a file pid.RANK in the folder.
  Finished with_known_processes(uint32_t count, const std::string& program,
                                std::vector<std::string> arguments) const {
    return run_by_env(
        count, {"sh", "-c", "echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec \"$0\" \"$@\"", program_path(program)},
        std::move(arguments));
  }

  // Waits until the process of a rank has started and is at work, and returns its process id; 0 if it does
  // not start.
  pid_t process(uint32_t rank) const {
    for (int i = 0; i < 1000; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      std::ifstream file(folder_ / ("pid." + std::to_string(rank)));
      pid_t number = 0;
      if (!(file >> number)) continue;
      std::this_thread::sleep_for(std::chrono::milliseconds(800));
      return number;
    }
    return 0;
  }

  static std::string program_path(const std::string& program) {
    return (std::filesystem::path(std::getenv("VOX_BIN")) / program).string();
  }

  Finished run_by_env(uint32_t count, const std::vector<std::string>& program,
                      std::vector<std::string> arguments) const {
    std::vector<std::string> all = mpirun_command(count);
    all.insert(all.end(), program.begin(), program.end());
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_program("/usr/bin/env", all, {.folder = folder_, .file_size_limit = {}});
  }
};

class RanksProgram : public LaunchedProgram {
 protected:
  void SetUp() override {
    LaunchedProgram::SetUp();
    if (!IsSkipped() && !have_mpirun()) GTEST_SKIP() << "no MPI";
  }
};

inline size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Every kind of output of every tool, for tests that make calls of the tools fail while they write it.

struct FaultyOutput {
  std::string name;
  std::string program;
  std::vector<std::string> arguments;  // R stands for 32 in the run before, and for 64 in the run that fails

  bool holds_times() const;  // such files differ from run to run
  bool comes_early() const;  // the file is written before the work is done, and stays if the rest fails
};
void PrintTo(const FaultyOutput& output, std::ostream* out);

const std::vector<FaultyOutput>& faulty_outputs();

// The numbers of the calls that fail, one in each run: 1 to `count`, or about `most` of them at equal distances unless
// VOX_TEST_ALL_FAULTS is set. They begin elsewhere for each output, because outputs have many calls in common.
std::vector<uint64_t> fault_numbers(uint64_t count, uint64_t most, const std::string& output);

// Runs a command that writes into the folder out, with temporary files in tmp.
class FaultsTest : public ProgramTest, public testing::WithParamInterface<FaultyOutput> {
 protected:
  void SetUp() override;

  Finished run(const std::string& resolution, const std::map<std::string, std::string>& environment) const;
  uint64_t calls_of_last_run() const;
  std::map<std::string, std::string> outputs() const;  // without temporary files
  std::vector<std::string> leftovers() const;          // temporary files
  void restore(const std::map<std::string, std::string>& files) const;
  bool names_a_file(const Finished& failed) const;
  void expect_whole_file(const std::string& path, const std::string& bytes,
                         const std::map<std::string, std::string>& expected, const std::string& what) const;
  void expect_whole(const std::map<std::string, std::string>& expected,
                    const std::map<std::string, std::string>& old, const std::string& what) const;
  // True if two HDF5 files, the first of which is at `path`, hold the same values.
  bool hold_the_same(const std::string& path, const std::string& bytes, const std::string& whole) const;

 private:
  void make_inputs() const;
};

}  // namespace vox
