// The command line of vox-bench keys.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "libvox/engine/engine.h"
#include "libvox/measure/keys_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct KeysCommand {
  measure::KeysBenchOptions bench;  // but for the picture
  std::optional<std::filesystem::path> picture, rebuilt, ages;
  EngineOptions engine;
  ResultFiles files;
  bool json = false;
  std::string command;
};

// Prints --help and --version itself. Throws UsageError.
KeysCommand parse_keys_command(int argc, char** argv);

}  // namespace vox
