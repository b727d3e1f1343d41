// The part of vox-convert that puts meshes, clouds of points, volumes, other programs' voxels and scene files on
// one grid.
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "tools/vox-convert/conversion.h"
#include "tools/vox-convert/options.h"

namespace vox {

// True if there are several inputs, not all of them meshes or all of them points, and a grid for them.
bool is_mixed_input(const ConvertOptions& options);
// True if one of the inputs is a mesh.
bool has_mesh_input(const ConvertOptions& options);

// A voxel that a later input fills hides the voxels of earlier ones at its place; consecutive meshes are one input. All
// inputs share one palette, which is chosen from at most 16 colours of each input.
dag::VoxelScene convert_mixed(const ConvertOptions& options, Conversion& conversion);

}  // namespace vox
