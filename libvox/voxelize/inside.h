// The steps on the host that complete the inside of a solid after the device has built the surface or the whole solid.
#pragma once

#include <cstdint>
#include <optional>

#include "libvox/base/geometry.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/shells.h"

namespace vox::voxelize {

struct Inside {
  bool flood = false;  // the device makes only the surface; voxels that no path reaches are filled afterwards
  // The material of voxels inside. If none is given, they take that of the surface before them or, with `flood`, the
  // most common one of the surface. With shells, it is a number outside the palette that marks voxels inside until
  // their depth is known.
  std::optional<uint8_t> interior = std::nullopt;
  std::optional<Shells> shells = std::nullopt;
  uint64_t memory_limit = 0;  // as for HostStore
};

// Sets the shells and the interior's number. Throws Error if all numbers are in use: the palette of `colors` entries
// must leave one free.
void set_shells(Inside& inside, Shells shells, uint32_t colors);

// Returns a depth in the unit of Shell. Throws UsageError if it is larger than the largest grid.
uint64_t shell_depth(double voxels);

// Returns the options for the build on the device.
BuildOptions with_inside(BuildOptions options, const Inside& inside);

// Completes a result that was built with these options, and adds its time to the result's.
void make_inside(BuildResult& result, const Inside& inside, const VoxelSize& voxel_size);

// Logs what a solid build has found in a mesh whose inside is not clear.
void tell_of_solid(const SolidCounts& counts, InsideRule rule);

}  // namespace vox::voxelize
