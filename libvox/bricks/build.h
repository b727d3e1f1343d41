// Volumes → bricks, on a device, piece by piece: of the volume no more is held than one piece.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/volume/value_rule.h"

namespace vox::bricks {

struct BricksOptions {
  uint32_t log2_side = 0;  // 2 to 6; 0: that which takes least memory
  uint32_t types = kAllBrickTypes;
  volume::ThresholdOptions threshold;
  uint64_t piece_voxels = 0;  // at a time; 0: chosen from the memory limit. For tests.
};

// What bricks of one side come to.
struct BrickTotals {
  uint32_t log2_side = 0;
  uint64_t bricks = 0;
  uint64_t filled = 0;  // voxels
  std::array<uint64_t, kBrickTypeCount> counts = {}, bytes = {};
  // Of the volume, in bricks of each type: bricks at its ends stand out, and these do not.
  std::array<uint64_t, kBrickTypeCount> voxels = {};
  // With the layout of the thesis (Table 5.1 and §3.2) and its four types: roots of 8 bytes, nodes of 32,
  // codes of 6.
  uint64_t thesis_bytes = 0;

  uint64_t root_bytes() const;
  uint64_t total_bytes() const;
};

struct BricksResult {
  FrozenBricks bricks;
  std::vector<BrickTotals> tried;  // of all sides that were tried
  double read_seconds = 0;         // of the volume's values, all passes
  double seconds = 0;              // the rest
  uint64_t peak_device_bytes = 0;
};

// Throws UsageError where the types could not hold every brick.
void check_brick_types(uint32_t types);

// Of all sides from 4 to 64.
template <class Device>
std::vector<BrickTotals> measure_bricks(Device& device, const volume::Volume& volume,
                                        const BricksOptions& options);

template <class Device>
BricksResult build_bricks(Device& device, const volume::Volume& volume, const BricksOptions& options);

}  // namespace vox::bricks
