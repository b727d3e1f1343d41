// The command line of vox-bench forms.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "libvox/engine/engine.h"
#include "libvox/measure/forms_bench.h"
#include "tools/common/command_line.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct FormsCommand {
  std::optional<std::filesystem::path> input;  // a scene file or a mesh; without one, the village
  // The resolution of a mesh, or none for the device's default; a coarser level of a scene file, or none for its own.
  std::optional<uint32_t> resolution;
  measure::FormsBenchOptions bench;  // but for how long making the SVDAG took
  EngineOptions engine;
  ResultFiles files;
  bool json = false;
  std::string command;
};

// The resolution of a mesh where none is asked for.
uint32_t default_forms_resolution(const std::string& device);

// Throws UsageError, and Error if an input is missing.
FormsCommand read_forms_command(const CommandLine& arguments);

}  // namespace vox
