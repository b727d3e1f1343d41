// Intersects two moving surfaces frame by frame, using tables of voxel keys (Alcantara et al. 2009, §6, "Spatial
// hashing"). Both meshes are voxelized, and each mesh's filled voxels are stored in a table with their triangles.
// The voxels of the second mesh are looked up in the first one's table, and each pair of triangles with a voxel
// in common is tested exactly, once. For a Boolean combination, as in the paper, the voxels of each mesh that lie
// inside the other are found instead, by the normals where the meshes meet (sides.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"
#include "libvox/engine/engine.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/timing.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/combine.h"
#include "libvox/voxelize/grid.h"
#include "libvox/voxelize/triangles_meet.h"

namespace vox::measure {

// The phases of a frame: placing and voxelizing both meshes; building both tables; looking up the voxels of the second
// mesh in the table of the first; finding the pairs of triangles and testing them. In a Boolean combination, the last
// two are replaced by finding normals, sides, and the voxels that remain.
enum class IntersectPhase : uint8_t { Voxelize, Build, Search, Pairs, Sides };
inline constexpr std::array kIntersectPhaseNames = {"voxelize", "build", "search", "pairs", "sides"};
inline constexpr size_t kIntersectPhases = kIntersectPhaseNames.size();

// True if frames have this phase. `combines` says if there is a Boolean combination.
constexpr bool has_phase(IntersectPhase phase, bool combines) {
  if (phase == IntersectPhase::Sides) return combines;
  return !combines || phase < IntersectPhase::Search;
}

struct IntersectOptions {
  static constexpr uint32_t kLeastResolution = 8, kMostResolution = voxelize::kMostMeetingResolution;
  static constexpr uint32_t kMostFrames = 100'000;
  static constexpr double kPaperFramesPerSecond = 27;  // at 128³, on a GeForce GTX 280

  std::vector<std::string> tables = {hash::KeyTableOptions().table};  // empty: all
  uint32_t resolution = 128;
  uint32_t frames = 60;
  std::optional<voxelize::Combination> combination = {};
};

// Throws UsageError unless the options make sense.
void check(const IntersectOptions& options);

struct IntersectCounts {
  uint64_t first_voxels = 0, second_voxels = 0;  // voxels that each mesh fills
  uint64_t common_voxels = 0;                    // voxels that both fill
  uint64_t candidates = 0;                       // pairs of one triangle of each mesh with a voxel in common
  uint64_t meeting = 0;                          // the candidates that really meet
  // With a combination: the sides of each mesh's voxels, and the number of voxels that remain.
  voxelize::SideCounts first_sides = {}, second_sides = {};
  uint64_t kept_voxels = 0;
  friend bool operator==(const IntersectCounts&, const IntersectCounts&) = default;
};

struct IntersectRow {
  std::string table;
  uint32_t frame = 0;
  double turn = 0, shift = 0;  // the second mesh's rotation and position
  IntersectCounts counts;
  std::array<double, kIntersectPhases> seconds = {};
  bool combines = false;

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
  bool combines = false;

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

// The same for a device of this type.
template <class Device>
IntersectResult bench_intersect_on(Device& device, const scene::Scene& first, const scene::Scene& second,
                                   const IntersectOptions& options);

// Two meshes that move through each other on one grid, as in Alcantara et al. 2009, §6 ("Spatial hashing"):
// the first rests in the middle; the second passes through it and makes one full turn about the vertical
// axis.

// The transformation of a mesh to its place in one frame. It uses only operations that IEEE 754 rounds in one
// way, so the result is the same on every device.
struct MeshPlace {
  Vec3d center;     // 24 B, the center of the mesh's box, in its own units
  double scale;     // 8 B, voxels per unit
  double cos, sin;  // 16 B, the rotation about the y axis
  Vec3d to;         // 24 B, the center's new place, in voxels

  VOX_HD Vec3d operator()(const Vec3d& point) const {
    const Vec3d p = point - center;
    return to + Vec3d{cos * p.x + sin * p.z, p.y, cos * p.z - sin * p.x} * scale;
  }
};
static_assert(sizeof(MeshPlace) == 72);

struct MovingPair {
  // kShare is the longest side of each mesh's box as a share of the grid. kWay is the second mesh's distance
  // from the middle along x, as a share, in the first frame and, on the other side, in the last. It stays
  // inside the grid at every turn: half its diagonal plus the distance is 0.4 / √2 + 0.2 < ½.
  static constexpr double kShare = 0.4, kWay = 0.2;

  uint32_t resolution = 0, frames = 0;

  double turn(uint32_t frame) const;   // the second mesh's rotation as a share of a full turn, in [0, 1)
  double shift(uint32_t frame) const;  // the second mesh's position, in voxels along x

  // `box` is the mesh's bounding box. Throws Error if it has no extent.
  MeshPlace resting(const voxelize::Box& box) const;
  MeshPlace moving(const voxelize::Box& box, uint32_t frame) const;
};

}  // namespace vox::measure
