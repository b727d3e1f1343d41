// Measures how fast bricks are read, as chapter 6 of Labschütz's thesis does. Mean filters and gathers
// read through the root grid, through code compiled for these bricks and, for comparison, from the dense
// array.
//
// Each time is the median of the repetitions after an uncounted first one. All kinds of access must read the
// same values: the device computes a checksum of what each loop has read, which is compared with the dense
// array's, and the dense array's is compared with that of the volume's values.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/reader.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

inline constexpr std::array<const char*, 4> kAccessNames = {"array", "direct", "kd", "jit"};

// The amount of work that is measured.
struct BricksBenchSizes {
  uint64_t voxels;       // maximum number of voxels, in the middle of the volume; 0: the whole volume
  uint64_t gathers;      // number of gathers; 0: none
  uint32_t picture;      // pixels a side of a picture made by casting rays; 0: none
  uint32_t repetitions;  // repetitions of every measurement
};

struct BricksBenchOptions {
  static constexpr BricksBenchSizes kGpuSizes = {0, uint64_t{1} << 26, 768, 5},
                                    kCpuSizes = {uint64_t{1} << 18, uint64_t{1} << 19, 128, 3};

  std::vector<uint32_t> log2_sides = {3, 4, 5, 6};
  std::vector<bricks::BrickTypeSet> sets = {bricks::kBrickTypeSets.rbegin(), bricks::kBrickTypeSets.rend()};
  std::vector<bricks::Access> accesses = {bricks::Access::Direct, bricks::Access::Compiled};
  std::vector<uint32_t> filters = {3, 5, 7};  // voxels a side
  std::optional<uint64_t> voxels, gathers;    // the device's defaults if absent
  std::optional<uint32_t> picture, repetitions;
  uint32_t trade_off = 0;  // points on each strategy's curve; 0: no curves
  volume::ThresholdOptions threshold;
  bricks::JitOptions jit;
};

// Throws UsageError unless there is something to measure.
void check(const BricksBenchOptions& options);

// Returns the amount of work for the device with this name.
BricksBenchSizes sizes_of(const BricksBenchOptions& options, const std::string& device);

// Returns the box in the middle of a volume of this size that is measured. It has the volume's proportions.
VoxelBox measured_box(Int3 volume, uint64_t most_voxels);

// The memory and build time of bricks of one size and one set of types.
struct BricksBenchSet {
  std::string types;
  uint32_t log2_side = 0;
  uint64_t bricks = 0, bytes = 0;
  std::array<uint64_t, bricks::kBrickTypeCount> counts = {};
  double build_seconds = 0;
  bricks::JitReport jit;  // empty unless compiled access is measured
};

struct BricksBenchRow {
  std::string types;       // "array" for the dense array
  uint32_t log2_side = 0;  // 0 for the dense array
  bricks::Access access = bricks::Access::Direct;
  std::string loop;     // "mean", "random", "morton", "cast"
  uint32_t filter = 0;  // voxels a side, for "mean"
  Timing time;
  uint64_t lookups = 0;  // the number of rays if loop is "cast"
  uint64_t bytes = 0;    // size of the structure that was read

  double lookups_per_second() const { return static_cast<double>(lookups) / time.median; }
};

// The time of a mean filter of 3³ over bricks of least memory, some of which were replaced by dense ones
// (Labschütz, Figure 5.5).
struct BricksTradeOffRow {
  std::string strategy;
  uint32_t log2_side = 0;
  uint64_t replaced = 0, bytes = 0;
  Timing time;
};

struct BricksBenchResult {
  volume::VolumeInfo info;       // describes the part that was measured
  Int3 volume_size = {0, 0, 0};  // size of the whole volume
  BricksBenchSizes sizes = {};
  bool interrupted = false;  // if true, the results end at the interrupt
  uint64_t filled = 0;
  std::vector<BricksBenchSet> sets;
  std::vector<BricksBenchRow> rows;
  std::vector<BricksTradeOffRow> trade_off;
  double seconds = 0;
};

// Returns a volume of this side, for measuring without a file. It has shells around its middle whose values fall
// off outwards. A seventh of the voxels are filled.
volume::Volume shells_volume(int32_t side);

// Throws Error if two kinds of access read different values, and Cancelled if an interrupt came before there
// was any result.
BricksBenchResult bench_bricks(Engine& engine, const volume::Volume& volume,
                               const BricksBenchOptions& options);

}  // namespace vox::measure
