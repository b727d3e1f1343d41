// Measures how fast bricks are read, as Labschütz, chapter 6, does: by mean filters and gathers, by the root
// grid and by code compiled for the bricks at hand, with the dense array beside them.
//
// Each time is the median of the repetitions after one that does not count. All ways have to read the same
// values: a checksum of what a loop has read, made on the device, is compared with that of the dense array,
// and the dense array's with the volume as it was read.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "libvox/bricks/reader.h"
#include "libvox/bricks/types/type_sets.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

inline constexpr std::array<const char*, 4> kAccessNames = {"array", "direct", "kd", "jit"};

// How much is measured.
struct BricksBenchSizes {
  uint64_t voxels;       // of a box in the middle of the volume, at most; 0: all of it
  uint64_t gathers;      // 0: none
  uint32_t picture;      // pixels a side, of rays cast through the volume; 0: none
  uint32_t repetitions;  // of everything
};

struct BricksBenchOptions {
  static constexpr BricksBenchSizes kGpuSizes = {0, uint64_t{1} << 26, 768, 5},
                                    kCpuSizes = {uint64_t{1} << 18, uint64_t{1} << 19, 128, 3};

  std::vector<uint32_t> log2_sides = {3, 4, 5, 6};
  std::vector<bricks::BrickTypeSet> sets = {bricks::kBrickTypeSets.rbegin(), bricks::kBrickTypeSets.rend()};
  std::vector<bricks::Access> accesses = {bricks::Access::Direct, bricks::Access::Compiled};
  std::vector<uint32_t> filters = {3, 5, 7};  // voxels a side
  std::optional<uint64_t> voxels, gathers;    // where absent, the device's defaults
  std::optional<uint32_t> picture, repetitions;
  uint32_t trade_off = 0;  // points of each strategy's curve; 0: no curves
  volume::ThresholdOptions threshold;
  bricks::JitOptions jit;
};

// Throws UsageError unless there is something to measure.
void check(const BricksBenchOptions& options);

// How much is measured on the device of this name.
BricksBenchSizes sizes_of(const BricksBenchOptions& options, const std::string& device);

// The box in the middle of a volume of this size that is measured; it has the volume's proportions.
VoxelBox measured_box(Int3 volume, uint64_t most_voxels);

// What bricks of one size and set of types take.
struct BricksBenchSet {
  std::string types;
  uint32_t log2_side = 0;
  uint64_t bricks = 0, bytes = 0;
  std::array<uint64_t, bricks::kBrickTypeCount> counts = {};
  double build_seconds = 0;
  bricks::JitReport jit;  // where it was asked for
};

struct BricksBenchRow {
  std::string types;       // "array" for the dense array
  uint32_t log2_side = 0;  // 0 for the dense array
  bricks::Access access = bricks::Access::Direct;
  std::string loop;     // "mean", "random", "morton", "cast"
  uint32_t filter = 0;  // voxels a side, of "mean"
  Timing time;
  uint64_t lookups = 0;  // rays where loop is "cast"
  uint64_t bytes = 0;    // of what was read

  double lookups_per_second() const { return static_cast<double>(lookups) / time.median; }
};

// A mean filter of 3³ over bricks that take least memory, some of them replaced by dense ones (Figure 5.5).
struct BricksTradeOffRow {
  std::string strategy;
  uint32_t log2_side = 0;
  uint64_t replaced = 0, bytes = 0;
  Timing time;
};

struct BricksBenchResult {
  volume::VolumeInfo info;       // of what was measured
  Int3 volume_size = {0, 0, 0};  // of the whole volume
  BricksBenchSizes sizes = {};
  bool interrupted = false;  // the rest is then what had been measured before
  uint64_t filled = 0;
  std::vector<BricksBenchSet> sets;
  std::vector<BricksBenchRow> rows;
  std::vector<BricksTradeOffRow> trade_off;
  double seconds = 0;
};

// Throws Error where two ways do not read the same, Cancelled where an interrupt came before there was
// anything to show.
BricksBenchResult bench_bricks(Engine& engine, const volume::Volume& volume,
                               const BricksBenchOptions& options);

}  // namespace vox::measure
