// Reads edit scripts: plain text, one command on each line. edit_script_help() describes the language, except
// for these rules:
//
// Numbers are read exactly and rounded to 1/256 voxel, halves away from zero. In units of the scene, a place
// is (world - origin) / voxel_size and a length is divided by voxel_size, in double precision, then rounded
// in the same way; places of whole voxels are rounded to a voxel there, while in units of voxels a fraction
// is an error. Places lie within ±2^21 voxels, also after every repetition; lengths are at most 2^20 voxels.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "formats/script/script_values.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/edit/script.h"
#include "libvox/edit/script_errors.h"

namespace vox {

SceneFrame frame_of(const dag::VoxelScene& scene);

// Names of files in the script are taken from its folder, and none of these files is opened. Mistakes are
// Errors with file, line and column.
edit::Script read_edit_script(const std::filesystem::path& path, const SceneFrame& frame,
                              const edit::OnScriptError& on_error = {});
edit::Script parse_edit_script(std::string text, const std::filesystem::path& path, const SceneFrame& frame,
                               const edit::OnScriptError& on_error = {});

// All commands with their arguments, for --help.
std::string edit_script_help();

}  // namespace vox
