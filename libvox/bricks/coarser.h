// Coarser levels of a volume, each with half the resolution of the one before, for pictures of volumes that do not fit into
// memory (Labschütz, §8.1).
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/device/handle.h"
#include "libvox/volume/volume.h"

namespace vox::bricks {

inline constexpr uint32_t kMostLevels = 16;

// Returns how many coarser levels there are until the longest side has at most 64 voxels.
uint32_t levels_to_the_coarsest(Int3 size);

// Returns the means of the values of 2³ voxels, or of those that lie in the volume: whole numbers rounded to the nearest,
// halves up; of f32, their sum in double precision, rounded once more. Empty voxels count with the background. The bricks
// must outlive the volume.
volume::Volume coarser_volume(const FrozenBricks& bricks);

// Returns so many coarser levels, with bricks of the same side and types.
std::vector<FrozenBricks> coarser_levels(device::DeviceHandle device, const FrozenBricks& bricks,
                                         uint32_t count);

}  // namespace vox::bricks
