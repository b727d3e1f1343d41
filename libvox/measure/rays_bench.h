// Measures rays that read a scene in place: in the memory of each hash table, as edits leave it, and in the
// words of a FrozenDag (Molenaar & Eisemann 2024, §4.2). The paper argues that a table should store its items
// whole, because rays that bounce then read half as many sectors.
//
// One loop reads all memories, and its rays must find the same voxels: a checksum of all hits is compared
// with that of the frozen words.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/engine/engine.h"
#include "libvox/hash/table_options.h"
#include "libvox/measure/timing.h"
#include "libvox/render/camera.h"

namespace vox::measure {

// The state of the scene: as it was read, or after edits.
enum class RaysState : uint8_t { Read, Edited };
inline constexpr std::array kRaysStateNames = {"read", "edited"};

enum class RaysView : uint8_t {
  Outside,  // shows the whole scene from a corner; some rays miss it
  Inside    // from the scene's middle, with an angle of 90°; in a closed surface all rays hit
};
inline constexpr std::array kRaysViewNames = {"outside", "inside"};

// The amount of work that is measured.
struct RaysBenchSizes {
  uint32_t picture;  // pixels a side
  uint32_t edits;
  uint32_t repetitions;
};

struct RaysBenchOptions {
  static constexpr RaysBenchSizes kGpuSizes = {1024, 1000, 7}, kCpuSizes = {128, 100, 3};
  static constexpr uint32_t kMostBounces = 64, kMostEdits = 1'000'000, kMostRepetitions = 1000;
  static constexpr const char* kFrozenName = "frozen";  // the name of the frozen words among the tables

  std::vector<std::string> tables = hash::table_names();
  std::vector<RaysState> states = {RaysState::Read, RaysState::Edited};
  std::vector<RaysView> views = {RaysView::Outside, RaysView::Inside};
  std::vector<uint32_t> bounces = {0, 1, 2, 3, 4, 5, 6};  // 0: only primary rays
  uint32_t radius = 16;                                   // in voxels, for the spheres that edits add
  std::optional<uint32_t> picture = {}, edits = {}, repetitions = {};  // the device's defaults if absent
  uint64_t seed = 1;                                                   // decides where the edits are
};

// Throws UsageError unless every axis has values that make sense.
void check(const RaysBenchOptions& options);

// Returns the amount of work for the device with this name.
RaysBenchSizes sizes_of(const RaysBenchOptions& options, const std::string& device);

// The work of a picture's rays. Except for sectors, it is the same in each memory.
struct RayWork {
  uint64_t rays = 0;     // primary rays, and those after each bounce
  uint64_t nodes = 0;    // visits of nodes and leaves, on the way down or back
  uint64_t sectors = 0;  // reads of 32-byte sectors; a ray's immediate repetitions do not count
};

struct RaysBenchRow {
  std::string table;  // or kFrozenName
  RaysState state = RaysState::Read;
  RaysView view = RaysView::Outside;
  uint32_t bounces = 0;
  Timing time;
  RayWork work;
  uint64_t checksum = 0;
  std::string error;  // why the result is wrong; empty if it is right

  double rays_per_second() const { return static_cast<double>(work.rays) / time.median; }
  double sectors_per_ray() const {
    return static_cast<double>(work.sectors) / static_cast<double>(work.rays);
  }
};

struct RaysBenchResult {
  uint32_t resolution = 0;
  uint64_t voxels = 0, nodes = 0;
  RaysBenchSizes sizes = {};
  std::vector<RaysBenchRow> rows;
  double seconds = 0;  // for the whole benchmark

  // Returns the rays per second of a row, divided by those of the frozen words of its scene.
  double of_frozen(const RaysBenchRow& row) const;
};

// Returns the camera of a view, with a picture of this many pixels a side.
render::Camera camera_of(const dag::FrozenDag& dag, RaysView view, uint32_t picture);

// Measures on the engine's device. check_structure() must accept the DAG. Throws Error if the scene has no
// voxel, or if memory runs out.
RaysBenchResult bench_rays(Engine& engine, const dag::FrozenDag& dag, const RaysBenchOptions& options);

// The same for a device of this type.
template <class Device>
RaysBenchResult bench_rays_on(Device& device, const dag::FrozenDag& dag, const RaysBenchOptions& options);

}  // namespace vox::measure
