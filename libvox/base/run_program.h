// Runs another program and waits for it.
#pragma once

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

}  // namespace vox
