// The command line of vox-bench keys.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "libvox/engine/engine.h"
#include "libvox/measure/keys_bench.h"
#include "tools/common/command_line.h"
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

// Throws UsageError, and Error if an input is missing.
KeysCommand read_keys_command(const CommandLine& arguments);

}  // namespace vox
