// Measures how meshes become SVDAGs, phase by phase: over resolutions, rules of coverage and materials.
//
// Each time is the median of the repetitions after one that does not count. Every repetition has an engine of
// its own, as every run of vox-convert has: what an engine has to prepare is part of each time. All
// repetitions have to give the same scene, which is checked by its digest.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

inline constexpr std::array kCoverageNames = {"conservative", "thin"};         // of scene::Coverage
inline constexpr std::array kMaterialModeNames = {"texture", "mesh", "none"};  // of scene::MaterialMode

struct ConvertBenchOptions {
  static constexpr std::array<uint32_t, 6> kGpuResolutions = {1024, 2048, 4096, 8192, 16384, 32768};
  static constexpr std::array<uint32_t, 4> kCpuResolutions = {512, 1024, 2048, 4096};
  static constexpr uint32_t kGpuRepetitions = 7, kCpuRepetitions = 3, kMostRepetitions = 1000;

  std::vector<uint32_t> resolutions = {};  // where empty, the device's defaults
  std::vector<scene::Coverage> coverages = {scene::Coverage::Conservative};
  std::vector<scene::MaterialMode> materials = {scene::MaterialMode::None, scene::MaterialMode::Texture};
  std::optional<uint32_t> repetitions = {};  // where absent, the device's default
};

// Throws UsageError unless every axis has values that make sense.
void check(const ConvertBenchOptions& options);

// The options with the defaults of the device of this name.
ConvertBenchOptions with_defaults(ConvertBenchOptions options, const std::string& device);

struct WrittenScene {
  uint64_t bytes = 0;  // of the file
  double seconds = 0;  // of writing it
};

// A mesh, and what this room does not know: how its file is read, its palette chosen, and a scene written.
struct ConvertSource {
  std::string name;
  bool is_file = false;  // whether `load` is worth timing
  // Loads the scene without bad triangles.
  std::function<scene::Scene()> load;
  std::function<scene::IndexedScene(scene::Scene&, scene::MaterialMode)> choose_palette;
  // Writes a scene to a file, which is gone afterwards; empty where nothing is written.
  std::function<WrittenScene(const dag::VoxelScene&)> write;
};

// The phases of a conversion, as vox-convert has them. Freezing is the end of building.
struct ConvertPhases {
  std::optional<Timing> load;  // of a file
  Timing palette, voxelize, build, freeze;
  std::optional<Timing> write;
};

struct ConvertBenchRow {
  std::string mesh;
  uint32_t resolution = 0;
  scene::Coverage coverage = scene::Coverage::Conservative;
  scene::MaterialMode materials = scene::MaterialMode::Texture;
  Timing time;  // of the engine's call: from triangles to the canonical DAG on the host
  ConvertPhases phases;
  uint64_t triangles = 0, voxels = 0, svo_nodes = 0, nodes = 0, bytes = 0;
  uint64_t peak_device_bytes = 0, file_bytes = 0;
  std::vector<device::KernelTime> kernels;  // where the engine has a profile
};

struct ConvertBenchResult {
  uint32_t repetitions = 0;
  std::vector<ConvertBenchRow> rows;
  double seconds = 0;  // of the whole benchmark
};

// Measures on engines with these options. Where they ask for a profile, the kernels' times come from a
// repetition of their own: timing every launch takes time itself. Throws Error where two repetitions give
// different scenes.
ConvertBenchResult bench_convert(const EngineOptions& engine, const std::vector<ConvertSource>& sources,
                                 const ConvertBenchOptions& options);

}  // namespace vox::measure
