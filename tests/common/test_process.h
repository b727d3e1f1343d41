// A folder for the files of a test, and their content. Tests are built without optimization, where a loop over bytes takes long.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libvox/base/log_line.h"
#include "libvox/base/process.h"
#include "libvox/ranks/ranks.h"

namespace vox {

// Returns the content of a file; nothing if there is none.
inline std::string read_bytes(const std::filesystem::path& file) {
  std::string bytes(std::filesystem::is_regular_file(file) ? std::filesystem::file_size(file) : 0, '\0');
  std::ifstream(file, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

inline void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

// A separate folder for one test, which is removed at its end.
class TestFolder {
 public:
  TestFolder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string("vox_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Writes a file and creates the folders above it.
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    write_bytes(file, content);
    return file;
  }

 private:
  std::filesystem::path path_;
};

// Keeps the messages that the library logs during a test.

// Keeps all log messages while it lives.
class KeptLog {
 public:
  KeptLog()
      : before_(
            set_log_sink([this](LogLevel, std::string_view line) { text_ += std::string(line) + "\n"; })) {}
  ~KeptLog() { set_log_sink(std::move(before_)); }
  KeptLog(const KeptLog&) = delete;
  KeptLog& operator=(const KeptLog&) = delete;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  LogSink before_;
};

// Measures how much memory a part of a test takes.

// Runs f() and returns by how many bytes the process has been larger than before at some time, as far as Linux tells.
template <class F>
uint64_t growth(const F& f) {
  const auto peak = [] {
    std::ifstream status("/proc/self/status");
    std::string word;
    uint64_t kilobytes = 0;
    while (status >> word)
      if (word == "VmHWM:") status >> kilobytes;
    return kilobytes << 10;
  };
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak is then what is there now
  const uint64_t before = peak();
  f();
  return peak() - before;
}

// Starts several processes by Open MPI's mpirun, if it is installed.

inline bool have_mpirun() {
  return ranks::has_mpi() &&
         run_program({"mpirun", "--version"}).output.find("Open MPI") != std::string::npos;
}

// Returns the beginning of a command line. It works on machines with fewer cores than processes, and for
// root, as in CI.
inline std::vector<std::string> mpirun_command(uint32_t count) {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // MPI's modules leak memory
  return {"mpirun", "--oversubscribe", "--timeout", "100", "-n", std::to_string(count)};
}

}  // namespace vox
