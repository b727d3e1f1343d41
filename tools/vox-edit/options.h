// The command line of vox-edit.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/io/overwrite.h"
#include "formats/script/replay_csv.h"
#include "libvox/engine/engine.h"
#include "tools/common/command_line.h"

namespace vox {

struct EditOptions {
  std::filesystem::path scene, script;
  std::optional<std::filesystem::path> output;
  std::optional<std::filesystem::path> log, html;
  bool check = false;
  bool drop_bricks = false;
  bool json = false;
  Overwrite overwrite = Overwrite::OwnFiles;
  uint32_t batch = 1;
  uint32_t checkpoint = 0;  // edits between checkpoints; 0 for none
  ReplayOptions replay;
  EngineOptions engine;
  std::vector<Option> given;  // options on the command line, which check_given() checks
  std::string command;
};

// Throws UsageError, and Error if the scene or the script is missing.
EditOptions read_edit_options(const CommandLine& arguments);

}  // namespace vox
