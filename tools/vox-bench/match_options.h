// The command line of vox-bench match.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "libvox/engine/engine.h"
#include "libvox/measure/match_bench.h"
#include "tools/common/command_line.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct PictureFiles {
  std::filesystem::path query, reference;
};

struct MatchCommand {
  measure::MatchBenchOptions bench;  // but for the pictures
  std::optional<PictureFiles> pictures;
  measure::PicturePairOptions pair;  // where no files are named
  std::optional<std::filesystem::path> overlay;
  EngineOptions engine;
  ResultFiles files;
  bool json = false;
  std::string command;
};

// Throws UsageError, and Error if an input is missing.
MatchCommand read_match_command(const CommandLine& arguments);

}  // namespace vox
