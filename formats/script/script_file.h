// Reads files of edits: our own scripts and recordings of other programs.
#pragma once

#include <filesystem>

#include "formats/script/edit_script.h"
#include "formats/script/replay_csv.h"

namespace vox {

// Reads a script for this scene; the extension decides the kind of file. `replay` says how a recording is
// placed in the scene; its field `materials` is taken from the scene.
edit::Script read_script(const std::filesystem::path& path, const dag::VoxelScene& scene,
                         ReplayOptions replay = {}, const edit::OnScriptError& on_error = {});

}  // namespace vox
