// The part of vox-convert that puts meshes, clouds of points, volumes, other programs' voxels and scene files on
// one grid.
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "tools/vox-convert/conversion.h"
#include "tools/vox-convert/options.h"

namespace vox {

// Whether there are several inputs, not all of them meshes or all of them points, and a grid for them.
bool is_mixed_input(const ConvertOptions& options);
// Whether one of the inputs is a mesh.
bool has_mesh_input(const ConvertOptions& options);

// What a later input fills hides what earlier ones have there; meshes that follow each other are one. All have one
// palette, for whose colours those of each input are 16 already.
dag::VoxelScene convert_mixed(const ConvertOptions& options, Conversion& conversion);

}  // namespace vox
