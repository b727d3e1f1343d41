// Intersects two moving surfaces, frame by frame, by tables of voxel keys (Alcantara et al. 2009, §6, "Spatial
// hashing"): both meshes are voxelized, their filled voxels hashed, each with its triangles, the voxels of one looked
// up among those of the other, and the pairs of triangles that have a voxel in common tested exactly, each once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/engine/engine.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/timing.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/triangles_meet.h"

namespace vox::measure {

// The parts of a frame: placing and voxelizing both meshes; building both tables; looking up the voxels of the
// second mesh in the table of the first; finding the pairs of triangles and testing them.
enum class IntersectPhase : uint8_t { Voxelize, Build, Search, Pairs };
inline constexpr std::array kIntersectPhaseNames = {"voxelize", "build", "search", "pairs"};
inline constexpr size_t kIntersectPhases = kIntersectPhaseNames.size();

struct IntersectOptions {
  static constexpr uint32_t kLeastResolution = 8, kMostResolution = voxelize::kMostMeetingResolution;
  static constexpr uint32_t kMostFrames = 100'000;
  static constexpr double kPaperFramesPerSecond = 27;  // at 128³, on a GeForce GTX 280

  std::vector<std::string> tables = {hash::KeyTableOptions().table};  // empty: all
  uint32_t resolution = 128;
  uint32_t frames = 60;
};

// Throws UsageError unless the options make sense.
void check(const IntersectOptions& options);

struct IntersectCounts {
  uint64_t first_voxels = 0, second_voxels = 0;  // that a mesh fills
  uint64_t common_voxels = 0;                    // that both fill
  uint64_t candidates = 0;                       // pairs of a triangle of each mesh with a voxel in common
  uint64_t meeting = 0;                          // of these, those that meet
  friend bool operator==(const IntersectCounts&, const IntersectCounts&) = default;
};

struct IntersectRow {
  std::string table;
  uint32_t frame = 0;
  double turn = 0, shift = 0;  // of the second mesh (moving_pair.h)
  IntersectCounts counts;
  std::array<double, kIntersectPhases> seconds = {};

  double total_seconds() const;
};

// All frames of a table.
struct IntersectSummary {
  std::string table;
  // Absent where the table could not be built, for which `error` is the reason.
  std::optional<Timing> frame = {};
  std::array<Timing, kIntersectPhases> phases = {};
  uint64_t bytes = 0;  // of the tables, most of a frame
  std::string error = {};

  std::optional<double> frames_per_second() const;  // by the median
};

struct IntersectResult {
  uint64_t first_triangles = 0, second_triangles = 0;
  std::vector<IntersectRow> rows;
  std::vector<IntersectSummary> summaries;  // one for each table
  double seconds = 0;                       // of the whole benchmark
};

// Measures on the engine's device. Materials do not count: what holes a texture has is filled. Throws Error where a
// mesh has no triangles, and where two tables disagree.
IntersectResult bench_intersect(Engine& engine, const scene::Scene& first, const scene::Scene& second,
                                const IntersectOptions& options);

// The same on this device; compiled for each in intersect_bench_cpu.cpp and intersect_bench_cuda.cu.
template <class Device>
IntersectResult bench_intersect_on(Device& device, const scene::Scene& first, const scene::Scene& second,
                                   const IntersectOptions& options);

}  // namespace vox::measure
