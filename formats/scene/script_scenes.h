// Reads the scenes that a script uses as brushes.
#pragma once

#include <vector>

#include "formats/scene/any_scene.h"
#include "libvox/edit/script.h"
#include "libvox/edit/script_errors.h"

namespace vox {

// Reads the files that the script names, in its order. It is an error, with the line that names the file
// first, where a file has materials and the scene has none, or the other way round; its scene is then left
// empty.
std::vector<dag::VoxelScene> read_script_scenes(const edit::Script& script, const dag::VoxelScene& scene,
                                                Damage damage, const edit::OnScriptError& on_error = {});

}  // namespace vox
