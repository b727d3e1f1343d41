// Makes bricks of a volume on a device, piece by piece. Only one piece of the volume is held in memory at a
// time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/volume/value_rule.h"

namespace vox::bricks {

struct BricksOptions {
  uint32_t log2_side = 0;  // 2 to 6; 0: the side that takes the least memory
  uint32_t types = kAllBrickTypes;
  volume::ThresholdOptions threshold;
  uint64_t piece_voxels = 0;  // voxels of a piece, for tests; 0: chosen from the memory limit
};

// The memory and the counts of a volume's bricks of one side.
struct BrickTotals {
  uint32_t log2_side = 0;
  uint64_t bricks = 0;
  uint64_t filled = 0;  // in voxels
  std::array<uint64_t, kBrickTypeCount> counts = {}, bytes = {};
  // Voxels of the volume that lie in bricks of each type. The voxels of a brick outside of the volume do not
  // count.
  std::array<uint64_t, kBrickTypeCount> voxels = {};
  // The bytes in the layout of the thesis (Labschütz, Table 5.1 and §3.2) with its four types: entries of the
  // root grid take 8 bytes, octree nodes 32, Morton codes 6.
  uint64_t thesis_bytes = 0;

  uint64_t root_bytes() const;
  uint64_t total_bytes() const;
};

struct BricksResult {
  FrozenBricks bricks;
  std::vector<BrickTotals> tried;  // one for each side that was tried
  double read_seconds = 0;         // for reading the volume's values, in all passes
  double seconds = 0;              // for everything else
  uint64_t peak_device_bytes = 0;
};

// Throws UsageError if these types cannot hold every brick.
void check_brick_types(uint32_t types);

// Throws OutOfMemory where the machine has not the memory for the root grid alone, which has an entry for each brick,
// empty ones included. A side of 0 stands for the largest.
void check_root_memory(Int3 size, uint32_t log2_side);

// Measures bricks of all sides from 4 to 64, without building them.
template <class Device>
std::vector<BrickTotals> measure_bricks(Device& device, const volume::Volume& volume,
                                        const BricksOptions& options);

template <class Device>
BricksResult build_bricks(Device& device, const volume::Volume& volume, const BricksOptions& options);

}  // namespace vox::bricks
