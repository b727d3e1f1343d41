#include "tests/tools/program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/common/test_engine.h"

namespace vox {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kTimeLimit = 120;  // seconds

// These suites and tests run on the CPU everywhere. They examine command lines, files and pages, and what the devices do for
// them is examined by the tests of its room. A program that uses a GPU takes half a second to start, and such programs
// start one after the other.
constexpr std::string_view kTestsOfTheHost[] = {
    "AgainstProgram.RefusesScenesOfTwoGridsAndOptionsWithoutEffect",
    "AgainstProgram.SharesOfEitherAddUp",
    "AgainstProgram.TakesFilesThatHoldASpatialHashAlone",
    "AgainstProgram.WritesTheSceneThatTheBooleanOfEditsMakes",
    "BadInput",
    "BricksAlone",
    "CoarserProgram",
    "ConvertOptionsProgram",
    "ConvertProgram.CutsAPartOutOfASceneFile",
    "ConvertProgram.ExportsLayersIntoAFolder",
    "ConvertProgram.GivesOneDigestWhateverTheCompression",
    "ConvertProgram.LooksForTexturesInTheFoldersThatAreNamed",
    "ConvertProgram.SaysHowFarThePaletteIsFromTheColors",
    "ConvertProgram.TakesTheResolutionInEverySpelling",
    "ConvertProgram.TakesTheUnitsAndAxesThatTheFileNamesUnlessToldOtherwise",
    "ConvertProgram.WeighsColorsByTheAreaToAPower",
    "ConvertProgram.WritesASceneFileAnewInAnyVersionWithTheSameDigest",
    "EditBricks.AreInTheResultAsJson",
    "EditBricks.AreLeftOutOnRequestWithALine",
    "EditBricks.OfAnotherVolumeAreRefused",
    "EditCheck",
    "EditPage",
    "EditProgram.ACrashKeepsTheLastCheckpoint",
    "EditProgram.ADiskThatIsFullLeavesTheTargetAsItWas",
    "EditProgram.AScriptOfManyMegabytesIsRead",
    "EditProgram.AnInterruptKeepsTheLastCheckpointAndNothingElse",
    "EditProgram.AnInterruptWithoutACheckpointLeavesNothing",
    "EditProgram.CommandLinesThatMakeNoSense",
    "EditProgram.NothingIsSavedOverWhatTheRunReadsOrAsWhatItIsNot",
    "EditProgram.PrintsOneJsonObject",
    "EditProgram.ScriptsThatCannotBeRead",
    "EditProgram.ScriptsThatMakeNoSense",
    "EditProgram.StampsThatDoNotFitAreNamed",
    "EditProgram.SumsUpWhatEachToolDid",
    "EditProgram.TargetsThatCannotBeWrittenAreFoundBeforeTheWork",
    "EditProgram.TheHistoryOfTheFileGrowsWithEveryRun",
    "EditProgram.TheOutputMayBeTheInputWhichIsReplacedInTheEndOnly",
    "FilmProgram",
    "HashEdit",
    "HashProgram.PutsASpatialHashBesideTheSceneOrAlone",
    "HelpProgram",
    "LargeScene",
    "MixedProgram",
    "NamesProgram",
    "OutputsProgram",
    "OverwriteProgram",
    "RenderProgram.ALegendIsInTheCornerUnlessItIsNotWanted",
    "RenderProgram.ClipsNoWhiteUnlessTheExposureIsRaised",
    "ResultsList",
    "ResumeProgram.ARunThatDoesNotGoOnSaysThatRoundsAreLeft",
    "ResumeProgram.WhileAnotherProcessBuildsTheSceneItIsRefused",
    "StatsOfBricks",
    "StatsPage",
    "StatsProgram",
    "Streams",
    "VolumeLookProgram",
    "VoxelSizeProgram.FilesThatHoldTheSidesComeBackWithThem",
    "VoxelSizeProgram.ScriptsInSceneUnitsAreRefusedAndThoseInVoxelsRun",
    "VoxelSizeProgram.UnitsOfLengthAreThoseOfTheMesh"};

bool is_of_host() {
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  if (test == nullptr) return false;
  const std::string suite = test->test_suite_name(), name = suite + "." + test->name();
  return std::ranges::any_of(kTestsOfTheHost,
                             [&](std::string_view listed) { return listed == suite || listed == name; });
}

fs::path program_folder() {
  const char* folder = std::getenv("VOX_BIN");
  return folder == nullptr ? fs::path() : fs::path(folder);
}

// Replaces this process by the program and never returns. It makes only calls that are safe between fork and
// exec.
[[noreturn]] void become(const char* program, char* const* arguments, const RunOptions& options, int out,
                         int err) {
  if (options.file_size_limit) {
    const rlimit limit = {*options.file_size_limit, *options.file_size_limit};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  if (!options.out_file.empty()) dup2(open(options.out_file.c_str(), O_WRONLY), STDOUT_FILENO);
  for (const int stream : options.closed_streams) close(stream);
  if (chdir(options.folder.c_str()) == 0) execv(program, arguments);
  _exit(127);
}

std::string content_of(int file) {
  std::string text(static_cast<size_t>(lseek(file, 0, SEEK_END)), '\0');
  if (pread(file, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) text.clear();
  close(file);
  return text;
}

struct Ended {
  int status = 0;
  rusage usage = {};
};

// Tells whether a process handles SIGINT. A program does so soon after its start, with a sanitizer later.
bool handles_interrupts(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigCgt:")) return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1)) & 1;
  return false;
}

Ended wait_for(pid_t child, const RunOptions& options) {
  const auto start = Clock::now();
  std::optional<double> ready;  // the seconds until an interrupt can be handled
  Ended ended;
  int signal = options.signal;
  bool interrupted = false;
  while (wait4(child, &ended.status, WNOHANG, &ended.usage) == 0) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (options.interrupt_after && !ready && handles_interrupts(child)) ready = seconds;
    const double interrupt_at = ready ? *ready + *options.interrupt_after : kTimeLimit;
    if (!interrupted && seconds > interrupt_at) {
      kill(child, SIGINT);
      interrupted = true;
    }
    if (signal != 0 && fs::exists(options.folder / options.signal_when_exists))
      kill(child, std::exchange(signal, 0));
    if (seconds > kTimeLimit) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return ended;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Expects exit code 0 and no error.
std::string output_of(const Finished& run) {
  EXPECT_EQ(run.code, 0) << "signal " << run.signal << "\n" << run.err;
  EXPECT_EQ(run.err.find("error:"), std::string::npos) << run.err;
  return run.out;
}

}  // namespace

Finished run_program(const std::string& name, const std::vector<std::string>& arguments,
                     const RunOptions& options) {
  const std::string program = (program_folder() / name).string();
  std::vector<char*> pointers = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const int out = memfd_create("stdout", MFD_CLOEXEC), err = memfd_create("stderr", MFD_CLOEXEC);
  RunOptions own = options;
  if (is_of_host()) own.environment.emplace("CUDA_VISIBLE_DEVICES", "");
  const pid_t child = fork();
  if (child == 0) become(program.c_str(), pointers.data(), own, out, err);
  const auto [status, usage] = wait_for(child, options);
  Finished run;
  if (WIFEXITED(status)) run.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  run.peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  run.out = content_of(out);
  run.err = content_of(err);
  return run;
}

std::string preloaded(const std::string& name) {
  return (program_folder() / "tests" / ("libvox_" + name + ".so")).string();
}

bool have_programs() {
  return fs::exists(program_folder() / "vox-convert") && fs::exists(program_folder() / "vox-scene");
}

std::map<std::string, std::string> listing(const fs::path& folder) {
  std::map<std::string, std::string> entries;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    entries[entry.path().string()] = entry.is_regular_file() ? read_bytes(entry.path()) : "";
  return entries;
}

std::string cube_obj() {
  return "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
         "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 4 8 7 3\nf 1 5 8 4\nf 2 3 7 6\n";
}

void ProgramTest::SetUp() {
  if (!have_programs()) GTEST_SKIP() << "VOX_BIN names no folder with vox-convert and vox-scene";
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  folder_ = fs::path(testing::TempDir()) /
            (std::string("vox_") + test->test_suite_name() + "_" + test->name() + std::to_string(getpid()));
  fs::remove_all(folder_);
  fs::create_directories(folder_);
}

void ProgramTest::TearDown() {
  if (!folder_.empty()) fs::remove_all(folder_);
}

Finished ProgramTest::run_on_device(const std::string& program, std::vector<std::string> arguments,
                                    RunOptions options) const {
  // The first word of vox-bench is its command.
  const auto first = arguments.begin() + (program == "vox-bench" ? 1 : 0);
  arguments.insert(first, {"--device", is_of_host() ? "cpu" : test_device()});
  options.folder = folder_;
  return run_program(program, arguments, options);
}

Finished ProgramTest::scene(const std::vector<std::string>& arguments) const {
  RunOptions options;
  options.folder = folder_;
  return run_program("vox-scene", arguments, options);
}

std::string ProgramTest::printed(const std::vector<std::string>& arguments) const {
  return output_of(ran(arguments));
}
std::string ProgramTest::converted(const std::vector<std::string>& arguments) const {
  return output_of(convert(arguments));
}

void ProgramTest::write_boxes() const {
  write("boxes.mtl", "newmtl red\nKd 1 0 0\nnewmtl blue paint\nKd 0 0 1\n");
  std::string mesh = "mtllib boxes.mtl\n";
  const char* const materials[] = {"red", "blue paint", "red"};
  for (int i = 0; i < 3; ++i) {
    mesh += "o box " + std::to_string(i) + "\nusemtl " + materials[i] + "\n";
    for (int corner = 0; corner < 8; ++corner)
      mesh += "v " + std::to_string(3 * i + (corner & 1)) + " " + std::to_string(corner >> 1 & 1) + " " +
              std::to_string(corner >> 2) + "\n";
    for (const char* face :
         {"-8 -6 -5 -7", "-4 -3 -1 -2", "-8 -7 -3 -4", "-6 -2 -1 -5", "-8 -4 -2 -6", "-7 -5 -1 -3"})
      mesh += std::string("f ") + face + "\n";
  }
  write("boxes.obj", mesh);
}

bool ProgramTest::has_numpy() {
  static const bool has = std::system("/usr/bin/python3 -c 'import numpy' 2> /dev/null") == 0;
  return has;
}

void ProgramTest::expect_failure(int code, const std::string& text, const std::vector<std::string>& arguments,
                                 const RunOptions& options) const {
  const auto before = listing(folder_);
  const Finished run = ran(arguments, options);
  EXPECT_EQ(run.code, code) << "signal " << run.signal << ", " << testing::PrintToString(arguments);
  EXPECT_TRUE(one_error(run, text, program_)) << testing::PrintToString(arguments);
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(listing(folder_) == before) << "files changed, " << testing::PrintToString(arguments);
}

void ProgramTest::make_once(const std::string& name, const std::function<void()>& make) {
  // The folders in which files are made, which go with the process.
  static const struct Made {
    fs::path path = fs::path(testing::TempDir()) / ("vox_made_" + std::to_string(getpid()));
    Made() { fs::remove_all(path); }
    ~Made() { fs::remove_all(path); }
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;
  } made;
  const fs::path place = made.path / name;
  if (fs::create_directories(place)) {
    const fs::path own = std::exchange(folder_, place);
    make();
    folder_ = own;
  }
  fs::copy(place, folder_, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  if (HasFailure()) fs::remove_all(place);
}

void ProgramTest::make_cubes() {
  make_once("cubes", [&] {
    write("cube.obj", cube_obj());
    converted({"cube.obj", "--res", "64", "-q"});
    converted({"cube.obj", "--res", "64", "-q", "--materials", "none", "-o", "bare.h5"});
  });
}

void CubesTest::SetUp() {
  ProgramTest::SetUp();
  if (!folder_.empty()) make_cubes();
}

std::string ProgramTest::python(const std::string& text) const {
  write("program.py", text);
  const std::string folder = folder_.string();
  const int status = std::system(("cd '" + folder + "' && /usr/bin/python3 program.py > python.out").c_str());
  const bool reads_files = text.find("h5py") != std::string::npos;
  const std::string module = reads_files ? "h5py" : text.find("numpy") != std::string::npos ? "numpy" : "sys";
  // Python takes long to import a module, so that it is not looked for before it is missing.
  if (status != 0 && std::system(("/usr/bin/python3 -c 'import " + module + "' 2> /dev/null").c_str()) != 0) {
    [&] { GTEST_SKIP() << "no " << module; }();
    // Ends the test, which has its result by now.
    throw testing::AssertionException({testing::TestPartResult::kSkip, __FILE__, __LINE__, module.c_str()});
  }
  EXPECT_EQ(status, 0);
  return read_bytes(folder_ / "python.out");
}

std::string ProgramTest::write(const std::string& name, const std::string& content) const {
  write_bytes(folder_ / name, content);
  return name;
}

std::string ProgramTest::digest(const std::string& scene_file) const {
  return json_value(converted({scene_file, "--info", "--json"}), "digest");
}

testing::AssertionResult one_error(const Finished& run, const std::string& text, const std::string& program) {
  size_t errors = 0;
  bool found = false, foreign = false;
  for (const std::string& line : lines_of(run.err)) {
    if (line.starts_with(program + ": error: ")) {
      ++errors;
      found |= line.find(text) != std::string::npos;
    }
    foreign |= !line.starts_with(program + ": ");
  }
  if (errors == 1 && found && !foreign) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected one error with '" << text << "', stderr is:\n" << run.err;
}

std::string json_value(const std::string& json, const std::string& key) {
  std::string_view rest = json;
  for (size_t start = 0; start < key.size();) {  // one name after another, from the outermost
    const size_t dot = std::min(key.find('.', start), key.size());
    const std::string name = "\"" + key.substr(start, dot - start) + "\":";
    const size_t at = rest.find(name);
    if (at == std::string_view::npos) return "";
    rest.remove_prefix(at + name.size());
    start = dot + 1;
  }
  rest.remove_prefix(std::min(rest.find_first_not_of(" \n"), rest.size()));
  return std::string(rest.substr(0, rest.find_first_of(",}\n")));
}

// A name in the list that no test has any more would let a test go back to the GPU unnoticed.
TEST(TestsOfTheHost, Exist) {
  std::set<std::string> names;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    names.insert(suite.name());
    for (int k = 0; k < suite.total_test_count(); ++k)
      names.insert(std::string(suite.name()) + "." + suite.GetTestInfo(k)->name());
  }
  for (const std::string_view listed : kTestsOfTheHost)
    EXPECT_TRUE(names.contains(std::string(listed))) << listed;
}

}  // namespace vox
