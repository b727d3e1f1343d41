// Other programs that this one runs, the memory that it takes, and the threads that it may use.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vox {

// The result of another program.
struct ProgramResult {
  int status = 0;      // its exit code; 127 if it cannot be started, 128 or more if a signal ended it
  std::string output;  // everything that it wrote to stdout and stderr
};

enum class AfterInterrupt { Kill, Finish };

// Runs a program and waits for its end. The first argument is the program, which is looked up in PATH; no shell reads
// the arguments. The program's stdin is empty. After an interrupt, Kill kills the program and throws Cancelled. Finish
// waits for its end even then; it is for programs that end soon.
ProgramResult run_program(const std::vector<std::string>& arguments,
                          AfterInterrupt then = AfterInterrupt::Kill);

// Returns the path of the program that PATH has under this name, or nothing if it has none that can be run.
std::optional<std::filesystem::path> program_in_path(const std::string& name);

// A program that reads from its stdin what the caller writes. It is started as run_program() starts one.
class FedProgram {
 public:
  explicit FedProgram(const std::vector<std::string>& arguments);  // throws an Error if it cannot be started
  ~FedProgram();                                                   // kills it unless finish() was called
  FedProgram(const FedProgram&) = delete;
  FedProgram& operator=(const FedProgram&) = delete;

  // Waits until the program has taken the bytes. Returns false if it reads no more; finish() then tells why.
  // Throws Cancelled after an interrupt.
  [[nodiscard]] bool write(std::span<const std::byte> bytes);
  // Closes the program's stdin and waits for its end. Throws Cancelled after an interrupt.
  ProgramResult finish();

 private:
  void close_input();

  int input_ = -1, output_ = -1;  // our end of its stdin; a file in memory that receives its output
  pid_t child_ = 0;               // 0 once it has ended
};

// The memory that this process uses, and the memory that the machine has left.

uint64_t resident_bytes();       // used by this process now
uint64_t peak_resident_bytes();  // the most that this process has used
uint64_t available_bytes();      // free memory of the machine, within this process's control group

// Limits the number of this process's threads while the ThreadLimit lives.
class ThreadLimit {
 public:
  // `threads` is the most that may run; 0 means all cores.
  explicit ThreadLimit(uint32_t threads)
      : control_(tbb::global_control::max_allowed_parallelism,
                 threads > 0 ? threads : static_cast<size_t>(tbb::info::default_concurrency())) {}

 private:
  tbb::global_control control_;
};

}  // namespace vox
