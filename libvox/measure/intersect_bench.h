// Intersects two moving surfaces frame by frame, using tables of voxel keys (Alcantara et al. 2009, §6,
// "Spatial hashing"). Both meshes are voxelized, and each mesh's filled voxels are stored in a table with
// their triangles. The voxels of the second mesh are looked up in the first one's table, and each pair of
// triangles with a voxel in common is tested exactly, once.
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

// The parts of a frame: placing and voxelizing both meshes; building both tables; looking up the voxels of
// the second mesh in the table of the first; finding the pairs of triangles and testing them.
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
  uint64_t first_voxels = 0, second_voxels = 0;  // voxels that each mesh fills
  uint64_t common_voxels = 0;                    // voxels that both fill
  uint64_t candidates = 0;                       // pairs of a triangle of each mesh with a voxel in common
  uint64_t meeting = 0;                          // the candidates that really meet
  friend bool operator==(const IntersectCounts&, const IntersectCounts&) = default;
};

struct IntersectRow {
  std::string table;
  uint32_t frame = 0;
  double turn = 0, shift = 0;  // the second mesh's rotation and position (moving_pair.h)
  IntersectCounts counts;
  std::array<double, kIntersectPhases> seconds = {};

  double total_seconds() const;
};

// Totals over all frames of a table.
struct IntersectSummary {
  std::string table;
  // Absent if the table could not be built; `error` is then the reason.
  std::optional<Timing> frame = {};
  std::array<Timing, kIntersectPhases> phases = {};
  uint64_t bytes = 0;  // the greatest size of the tables over all frames
  std::string error = {};

  std::optional<double> frames_per_second() const;  // from the median
};

struct IntersectResult {
  uint64_t first_triangles = 0, second_triangles = 0;
  std::vector<IntersectRow> rows;
  std::vector<IntersectSummary> summaries;  // one for each table
  double seconds = 0;                       // for the whole benchmark
};

// Measures on the engine's device. Materials are ignored, so transparent texels count as surface. Throws
// Error if a mesh has no triangles, or if two tables disagree.
IntersectResult bench_intersect(Engine& engine, const scene::Scene& first, const scene::Scene& second,
                                const IntersectOptions& options);

// The same for a device of this type; compiled in intersect_bench_cpu.cpp and intersect_bench_cuda.cu.
template <class Device>
IntersectResult bench_intersect_on(Device& device, const scene::Scene& first, const scene::Scene& second,
                                   const IntersectOptions& options);

}  // namespace vox::measure
