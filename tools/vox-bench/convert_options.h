// The command line of vox-bench convert.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "libvox/engine/engine.h"
#include "libvox/measure/convert_bench.h"
#include "tools/common/command_line.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct ConvertCommand {
  static constexpr uint64_t kGpuTriangles = 1'000'000, kCpuTriangles = 100'000;

  std::vector<std::filesystem::path> meshes;   // if there are none, a sphere is measured
  std::optional<uint64_t> triangles;           // triangles of the sphere; none for the device's default
  std::optional<std::filesystem::path> write;  // a folder for the files whose writing is measured
  measure::ConvertBenchOptions bench;
  EngineOptions engine;
  ResultFiles files;
  bool json = false;
  std::string command;
};

// Throws UsageError, and Error if an input is missing.
ConvertCommand read_convert_command(const CommandLine& arguments);

}  // namespace vox
