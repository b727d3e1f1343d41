// The command line of vox-bench hash.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "libvox/engine.h"

namespace vox {

struct HashCommand {
  HashBenchOptions bench;
  EngineOptions engine;
  std::optional<std::filesystem::path> report, csv, html;
  bool json = false;
  std::string command;
};

// Prints --help and --version itself. Throws UsageError.
HashCommand parse_hash_command(int argc, char** argv);

}  // namespace vox
