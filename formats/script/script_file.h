// Files of edits: scripts of our own, and recordings of other programs.
#pragma once

#include <filesystem>

#include "formats/script/edit_script.h"
#include "formats/script/replay_csv.h"

namespace vox {

// By the extension, for this scene. `replay` says how a recording is placed in it; whether it has materials is
// taken from the scene.
edit::Script read_script(const std::filesystem::path& path, const dag::VoxelScene& scene,
                         ReplayOptions replay = {}, const edit::OnScriptError& on_error = {});

}  // namespace vox
