// Checks that the options of vox-edit go with its script, scene and purpose.
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "tools/vox-edit/options.h"

namespace vox {

// Throws UsageError for an option that would have no effect.
void check_given(const EditOptions& options, const dag::VoxelScene& scene);

}  // namespace vox
