// --check: what a script would do, without doing it, and all that is wrong with it.
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "tools/vox-edit/options.h"

namespace vox {

// Reads the script and the scenes that it names, warns of edits outside of the grid and prints how many edits
// there are of which kind. Throws Error where anything is wrong, after it has said everything that is, up to
// a limit.
void check_script(const EditOptions& options, const dag::VoxelScene& scene);

}  // namespace vox
