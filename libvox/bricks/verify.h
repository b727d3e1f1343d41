// Checks bricks more thoroughly than check_structure(), by reading all voxels.
#pragma once

#include "libvox/bricks/frozen_bricks.h"

namespace vox::bricks {

// Throws Error if check_structure() does, or if the number of filled voxels is not `filled`.
void verify(const FrozenBricks& bricks);

}  // namespace vox::bricks
