// Finds out what a script would do, without running it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libvox/dag/voxel_scene.h"
#include "libvox/edit/script.h"

namespace vox::edit {

struct ScriptFindings {
  std::map<std::string, uint64_t> tools;  // the number of edits of each tool
  uint64_t edits = 0, outside = 0;
};

// Warns of edits outside of the grid. A fill whose seed lies outside is an error. `scenes` are the script's
// files, in the script's order.
ScriptFindings survey_script(const Script& script, const std::vector<dag::VoxelScene>& scenes,
                             uint32_t resolution, const OnScriptError& on_error = {});

// Palette entries for the materials that edits bring into a scene.

// Adds the entries that the scene lacks, from the palette of a scene that is used as a brush.
void extend_palette(dag::VoxelScene& scene, const scene::Palette& other);
// Adds entries for all materials with which the script fills or paints.
void extend_palette(dag::VoxelScene& scene, const Script& script);

}  // namespace vox::edit
