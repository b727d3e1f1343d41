// The command line of vox-bench hash.
#pragma once

#include <string>

#include "libvox/engine/engine.h"
#include "libvox/measure/hash_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct HashCommand {
  measure::HashBenchOptions bench;
  EngineOptions engine;
  ResultFiles files;
  bool json = false;
  std::string command;
};

// Prints --help and --version itself. Throws UsageError.
HashCommand parse_hash_command(int argc, char** argv);

}  // namespace vox
