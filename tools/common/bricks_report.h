// The figures on bricks that programs show on screen and write into files.
#pragma once

#include <string>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/measure/results.h"

namespace vox {

// Describes size, bytes and types in a few lines.
std::string describe_bricks(const bricks::FrozenBricks& bricks);

// Sets the group `bricks`: bytes, size, filled, dense_bytes, how many of each type there are. Returns it.
measure::ResultGroup& set_bricks(measure::ResultGroup& results, const bricks::FrozenBricks& bricks);

// "262,144 voxels of u8, 86,000 filled, as 4,096 bricks of 4³ in 120 KiB, 46 % of dense"
std::string bricks_line(const bricks::FrozenBricks& bricks);

}  // namespace vox
