// Reads the scenes that a script uses as brushes.
#pragma once

#include <vector>

#include "formats/scene/any_scene.h"
#include "libvox/edit/script.h"
#include "libvox/edit/script_errors.h"

namespace vox {

// Reads the files that the script names, in its order. A file that has materials when the scene has none, or
// the reverse, is an error at the first line that uses the file; if `on_error` returns, the file's scene is
// left empty.
std::vector<dag::VoxelScene> read_script_scenes(const edit::Script& script, const dag::VoxelScene& scene,
                                                Damage damage, const edit::OnScriptError& on_error = {});

}  // namespace vox
