// Runs another program and waits for it.
#pragma once

#include <string>
#include <vector>

namespace vox {

struct ProgramResult {
  int status = 0;      // its exit code; 127 where it cannot be started, 128 and more where a signal ended it
  std::string output;  // to stdout and stderr
};

// The first argument is looked up in PATH; no shell sees any. Its stdin is empty. Throws Cancelled, and ends
// the program, after an interrupt.
ProgramResult run_program(const std::vector<std::string>& arguments);

}  // namespace vox
