// Runs another program: one that needs no input, or one that is fed while it runs.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vox {

struct ProgramResult {
  int status = 0;      // its exit code; 127 where it cannot be started, 128 and more where a signal ended it
  std::string output;  // what it wrote to stdout and stderr
};

// The first argument is the program, which is looked up in PATH; no shell reads the arguments. The program's
// stdin is empty. After an interrupt the program is ended, and Cancelled is thrown.
ProgramResult run_program(const std::vector<std::string>& arguments);

// Where PATH has a program of this name; nothing where it has none that can be run.
std::optional<std::filesystem::path> program_in_path(const std::string& name);

// A program that reads what is written to it from its stdin, started as run_program() starts one.
class FedProgram {
 public:
  explicit FedProgram(const std::vector<std::string>& arguments);  // throws Error where it cannot be started
  ~FedProgram();                                                   // ends it unless finish() was called
  FedProgram(const FedProgram&) = delete;
  FedProgram& operator=(const FedProgram&) = delete;

  // Waits until the program has taken the bytes. Returns false where it reads no more: finish() tells why.
  // Throws Cancelled after an interrupt.
  [[nodiscard]] bool write(std::span<const std::byte> bytes);
  // Ends its input, and waits until it has ended. Throws Cancelled after an interrupt.
  ProgramResult finish();

 private:
  void close_input();

  int input_ = -1, output_ = -1;  // the other end of its stdin; a file in memory that has what it says
  pid_t child_ = 0;               // 0 once it has ended
};

}  // namespace vox
