// What tools say about bricks: on screen and as JSON.
#pragma once

#include <string>

#include "libvox/base/json.h"
#include "libvox/bricks/frozen_bricks.h"

namespace vox {

// Size, bytes and types; a few lines.
std::string describe_bricks(const FrozenBricks& bricks);

// Sets `bricks`: bytes, size (voxels a side), count, filled, dense_bytes, types.NAME (how many). Returns it.
Json& set_bricks(Json& json, const FrozenBricks& bricks);

// "262,144 voxels of u8, 86,000 filled, as 4,096 bricks of 4³ in 120 KiB, 46 % of dense"
std::string bricks_line(const FrozenBricks& bricks);

}  // namespace vox
