// The command line of vox-bench intersect.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "libvox/engine/engine.h"
#include "libvox/measure/intersect_bench.h"
#include "tools/common/command_line.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct IntersectCommand {
  // The number of triangles of each mesh that is generated.
  static constexpr uint64_t kTriangles = 160'000, kFewestTriangles = 12, kMostTriangles = 100'000'000;

  std::vector<std::filesystem::path> meshes;  // two; none: two are generated
  uint64_t triangles = kTriangles;
  measure::IntersectOptions bench;
  EngineOptions engine;
  ResultFiles files;
  bool json = false;
  std::string command;
};

// Throws UsageError, and Error if an input is missing.
IntersectCommand read_intersect_command(const CommandLine& arguments);

}  // namespace vox
