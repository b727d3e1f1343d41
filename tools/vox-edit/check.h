// Does --check, which says what a script would do, without doing it, and lists all its errors.
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "tools/vox-edit/options.h"

namespace vox {

// Reads the script and the scenes that it names, warns of edits outside of the grid and prints how many edits
// there are of each kind. Where anything is wrong, it logs all errors, up to a limit, and then throws Error.
void check_script(const EditOptions& options, const dag::VoxelScene& scene);

}  // namespace vox
