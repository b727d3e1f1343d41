// Whether bricks say of themselves what is true.
#pragma once

#include "libvox/bricks/frozen_bricks.h"

namespace vox::bricks {

// Throws Error where check_structure() does, or where other than `filled` voxels are filled.
void verify(const FrozenBricks& bricks);

}  // namespace vox::bricks
