// The command line of vox-bench edit.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "libvox/engine/engine.h"
#include "libvox/measure/edit_bench.h"
#include "tools/common/command_line.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct EditCommand {
  std::optional<std::filesystem::path> input;  // a scene file or a mesh; without one, the city
  // The resolution of a mesh, or none for the device's default; a coarser level of a scene file, or none for its own.
  std::optional<uint32_t> resolution;
  measure::EditBenchOptions bench;
  EngineOptions engine;
  ResultFiles files;
  bool json = false;
  std::string command;
};

// The resolution of a mesh if none is asked for.
uint32_t default_edit_resolution(const std::string& device);

// Throws UsageError, and Error if an input is missing.
EditCommand read_edit_command(const CommandLine& arguments);

}  // namespace vox
