// Measures how long meshes take to become SVDAGs, phase by phase, for several resolutions, coverage rules and
// kinds of materials.
//
// Each time is the median of the repetitions after an uncounted first one. Every repetition has an engine of
// its own, like every run of vox-convert, so each time includes the engine's preparations. All repetitions
// must give the same scene, which is checked by its digest.
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

inline constexpr std::array kCoverageNames = {"conservative", "thin"};  // names of scene::Coverage
inline constexpr std::array kMaterialModeNames = {"texture", "mesh", "object", "colors", "none"};
static_assert(kMaterialModeNames.size() == static_cast<size_t>(scene::MaterialMode::None) + 1);

struct ConvertBenchOptions {
  static constexpr std::array<uint32_t, 6> kGpuResolutions = {1024, 2048, 4096, 8192, 16384, 32768};
  static constexpr std::array<uint32_t, 4> kCpuResolutions = {512, 1024, 2048, 4096};
  static constexpr uint32_t kGpuRepetitions = 7, kCpuRepetitions = 3, kMostRepetitions = 1000;

  std::vector<uint32_t> resolutions = {};  // the device's defaults if empty
  std::vector<scene::Coverage> coverages = {scene::Coverage::Conservative};
  std::vector<scene::MaterialMode> materials = {scene::MaterialMode::None, scene::MaterialMode::Texture};
  std::optional<uint32_t> repetitions = {};  // the device's default if absent
};

// Throws UsageError unless every axis has values that make sense.
void check(const ConvertBenchOptions& options);

// Returns the options, in which this device's defaults replace absent values.
ConvertBenchOptions with_defaults(ConvertBenchOptions options, const std::string& device);

struct WrittenScene {
  uint64_t bytes = 0;  // size of the file
  double seconds = 0;  // time to write it
};

// A mesh, and functions for work that this room cannot do itself: reading its file, and writing a scene.
struct ConvertSource {
  std::string name;
  bool is_file = false;  // true if the time of `load` is worth measuring
  // Loads the scene without its invalid triangles.
  std::function<scene::Scene()> load;
  // Writes a scene to a temporary file; empty if nothing is to be written.
  std::function<WrittenScene(const dag::VoxelScene&)> write;
};

// The phases of a conversion, named as in vox-convert. Freezing is the last part of building.
struct ConvertPhases {
  std::optional<Timing> load;  // reading the file
  Timing palette, voxelize, build, freeze;
  std::optional<Timing> write;
};

struct ConvertBenchRow {
  std::string mesh;
  uint32_t resolution = 0;
  scene::Coverage coverage = scene::Coverage::Conservative;
  scene::MaterialMode materials = scene::MaterialMode::Texture;
  Timing time;  // the engine's whole call, from triangles to the canonical DAG on the host
  ConvertPhases phases;
  uint64_t triangles = 0, voxels = 0, svo_nodes = 0, nodes = 0, bytes = 0;
  uint64_t peak_device_bytes = 0, file_bytes = 0;
  std::vector<device::KernelTime> kernels;  // empty unless the engine has a profile
};

struct ConvertBenchResult {
  uint32_t repetitions = 0;
  std::vector<ConvertBenchRow> rows;
  double seconds = 0;  // for the whole benchmark
};

// Measures on engines with these options. If they ask for a profile, the kernels' times come from an
// additional repetition, because timing every launch takes time itself. Throws Error if two repetitions give
// different scenes.
ConvertBenchResult bench_convert(const EngineOptions& engine, const std::vector<ConvertSource>& sources,
                                 const ConvertBenchOptions& options);

}  // namespace vox::measure
