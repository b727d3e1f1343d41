// The command line of vox-bench bricks.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "formats/raw_volume.h"
#include "libvox/report/bricks_bench.h"

namespace vox {

struct BricksCommand {
  std::filesystem::path input;
  RawOptions raw;
  BricksBenchOptions bench;
  EngineOptions engine;
  std::optional<std::filesystem::path> report, csv, html;
  bool json = false;
  std::string command;
};

// Prints --help and --version itself. Throws UsageError.
BricksCommand parse_bricks_command(int argc, char** argv);

}  // namespace vox
