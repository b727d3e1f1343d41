// Palette entries for the materials that edits bring into a scene.
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "libvox/edit/script.h"

namespace vox::edit {

// Adds the entries that the scene lacks, from the palette of a scene that is used as a brush.
void extend_palette(dag::VoxelScene& scene, const scene::Palette& other);
// Adds entries for all materials with which the script fills or paints.
void extend_palette(dag::VoxelScene& scene, const Script& script);

}  // namespace vox::edit
