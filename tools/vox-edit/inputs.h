// What a run reads, and where it may write.
#pragma once

#include <vector>

#include "libvox/dag/voxel_scene.h"
#include "libvox/edit/script.h"
#include "tools/vox-edit/options.h"

namespace vox {

// The script or the recording, for this scene.
Script read_script(const EditOptions& options, const VoxelScene& scene);

// The files that the script names, in its order. Throws Error, with the line that names it first, where one
// has materials and the scene has none, or the other way round.
std::vector<VoxelScene> read_other_scenes(const Script& script, const VoxelScene& scene);

// Before the work, not after it: can the results be written where they are to go? Throws Error where one
// would replace what is read, or another result.
void check_targets(const EditOptions& options, const Script& script);

// Entries that the scene has not, from the palette of a scene that is used as a brush.
void extend_palette(VoxelScene& scene, const Palette& other);
// Entries for all materials that the script fills or paints with.
void extend_palette(VoxelScene& scene, const Script& script);

}  // namespace vox
