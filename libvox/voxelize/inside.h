// The steps on the host that complete the inside of a solid when the device has built the surface, or all.
#pragma once

#include <cstdint>
#include <optional>

#include "libvox/base/geometry.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/shells.h"

namespace vox::voxelize {

struct Inside {
  bool flood = false;  // the device makes the surface alone, and what no path leads to is filled afterwards
  // The material of voxels inside; none: that of the surface before them, or with `flood` the one that most of it has. With
  // shells, that of all voxels inside until their depth is known, and none of the palette.
  std::optional<uint8_t> interior = std::nullopt;
  std::optional<Shells> shells = std::nullopt;
  uint64_t memory_limit = 0;  // that of HostStore
};

// Takes shells and the material of deeper voxels. Throws Error if all numbers are in use: a palette of `colors` entries must
// leave one.
void set_shells(Inside& inside, Shells shells, uint32_t colors);

// Returns a depth as Shell has it. Throws UsageError if it is beyond the largest grid.
uint64_t shell_depth(double voxels);

// Returns the options of the build on the device.
BuildOptions with_inside(BuildOptions options, const Inside& inside);

// Completes what was built with them. Its time is added to the result's.
void make_inside(BuildResult& result, const Inside& inside, const VoxelSize& voxel_size);

}  // namespace vox::voxelize
