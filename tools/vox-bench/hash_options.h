// The command line of vox-bench hash.
#pragma once

#include <string>

#include "libvox/engine/engine.h"
#include "libvox/measure/hash_bench.h"
#include "tools/common/command_line.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct HashCommand {
  measure::HashBenchOptions bench;
  EngineOptions engine;
  ResultFiles files;
  bool json = false;
  std::string command;
};

// Throws UsageError, and Error if an input is missing.
HashCommand read_hash_command(const CommandLine& arguments);

}  // namespace vox
