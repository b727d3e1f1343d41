// The command line of vox-bench bricks.
#pragma once

#include <filesystem>
#include <string>

#include "formats/volume/raw_volume.h"
#include "libvox/measure/bricks_bench.h"
#include "tools/common/command_line.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct BricksCommand {
  std::filesystem::path input;
  RawOptions raw;
  measure::BricksBenchOptions bench;
  EngineOptions engine;
  ResultFiles files;
  bool json = false;
  std::string command;
};

// Throws UsageError, and Error if an input is missing.
BricksCommand read_bricks_command(const CommandLine& arguments);

}  // namespace vox
