// Reads edit scripts: plain text, one command on each line. edit_script_help() describes the language, except
// for these rules:
//
// Numbers are read exactly and rounded to 1/256 voxel, halves away from zero. In scene units, a place is
// (world - origin) / voxel_size and a length is divided by voxel_size; both are computed in double precision
// and then rounded in the same way. A place that must be a whole voxel is rounded to one in scene units,
// whereas in voxel units a fraction is an error. Places lie within ±2^21 voxels, also after every repetition;
// lengths are at most 2^20 voxels.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "formats/script/replay_csv.h"
#include "formats/script/script_parts.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/edit/script.h"

namespace vox {

SceneFrame frame_of(const dag::VoxelScene& scene);

// Reads a script. The files that it names are relative to its folder, and none of them is opened. Mistakes
// are Errors with file, line and column.
edit::Script read_edit_script(const std::filesystem::path& path, const SceneFrame& frame,
                              const edit::OnScriptError& on_error = {});
edit::Script parse_edit_script(std::string text, const std::filesystem::path& path, const SceneFrame& frame,
                               const edit::OnScriptError& on_error = {});

// Returns a description of all commands and their arguments, for --help.
std::string edit_script_help();

// Reads files of edits: our own scripts and recordings of other programs.

// Reads a script for this scene; the extension decides the kind of file. `replay` says how a recording is
// placed in the scene; its field `materials` is taken from the scene.
edit::Script read_script(const std::filesystem::path& path, const dag::VoxelScene& scene,
                         ReplayOptions replay = {}, const edit::OnScriptError& on_error = {});

}  // namespace vox
