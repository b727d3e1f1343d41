// The command line of vox-edit.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/io/overwrite.h"
#include "formats/script/replay_csv.h"
#include "libvox/engine/engine.h"

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
  uint32_t checkpoint = 0;  // edits between checkpoints; 0: there are none
  ReplayOptions replay;
  EngineOptions engine;
  std::vector<std::string> given;  // options on the command line, which check_given() checks
  std::string command;
};

// Prints --help and --version itself. Throws UsageError.
EditOptions parse_edit_options(int argc, char** argv);

}  // namespace vox
