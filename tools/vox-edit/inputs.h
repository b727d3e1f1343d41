// What a run reads, and where it may write.
#pragma once

#include <vector>

#include "formats/script/script_errors.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/edit/script.h"
#include "tools/vox-edit/options.h"

namespace vox {

// All of these take who wants to hear of everything that is wrong with a script; else the first is thrown.

// The script or the recording, for this scene.
Script read_script(const EditOptions& options, const VoxelScene& scene, const OnScriptError& on_error = {});

// The files that the script names, in its order. It is an error, with the line that names it first, where one
// has materials and the scene has none, or the other way round; it is then left empty.
std::vector<VoxelScene> read_other_scenes(const Script& script, const VoxelScene& scene,
                                          const OnScriptError& on_error = {});

// Before the work, not after it: can the results be written where they are to go? It is an error where one
// would replace what is read, or another result.
void check_targets(const EditOptions& options, const Script& script, const OnScriptError& on_error = {});

// "trees.txt:12:3", where a command begins.
std::string place_of(const Script& script, const Command& command);

// Entries that the scene has not, from the palette of a scene that is used as a brush.
void extend_palette(VoxelScene& scene, const Palette& other);
// Entries for all materials that the script fills or paints with.
void extend_palette(VoxelScene& scene, const Script& script);

}  // namespace vox
