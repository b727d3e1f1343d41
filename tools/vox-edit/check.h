// --check: what a script would do, without doing it.
#pragma once

#include <vector>

#include "libvox/dag/voxel_scene.h"
#include "libvox/edit/script.h"
#include "tools/vox-edit/options.h"

namespace vox {

// Warns of edits outside of the grid and prints how many edits there are of which kind. `others` are the
// scenes that the script names. Throws Error where an edit is going to fail.
void check_script(const EditOptions& options, const VoxelScene& scene, const Script& script,
                  const std::vector<VoxelScene>& others);

}  // namespace vox
