// The conditions of a run that are not in its command: the machine, the build and the contents of the files that it reads.
// A report holds them, and vox-bench replay says which of them are others now.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/results/files.h"
#include "formats/results/results.h"

namespace vox {

struct MachineFact {
  std::string name, text, about;
};

struct InputFile {
  std::string file;
  uint64_t bytes = 0;
  std::string digest;
};

struct RunConditions {
  std::vector<MachineFact> machine;
  std::vector<InputFile> inputs;
};

// Returns the conditions here and now. `command` is a command line of vox-bench; those of its operands that are files are
// the inputs, which are read.
RunConditions conditions_of(const std::string& command);

// Sets them in the groups /machine and /inputs of a report.
void set_conditions(ResultGroup& results, const RunConditions& conditions);

// Returns a line for each fact of the report that is not as it is now, and for each input that has other content.
std::vector<std::string> changed_conditions(const ReadResults& report, const RunConditions& now);

}  // namespace vox
