// Tests of programs that mpirun starts in several processes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/common/mpirun.h"
#include "tests/tools/program.h"

namespace vox {

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

}  // namespace vox
