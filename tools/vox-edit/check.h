// --check: what a script would do, without doing it.
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "libvox/edit/script.h"
#include "tools/vox-edit/options.h"

namespace vox {

// Reads the scenes that the script names, warns of edits outside of the grid and prints how many edits there
// are of which kind.
void check_script(const EditOptions& options, const VoxelScene& scene, const Script& script);

}  // namespace vox
