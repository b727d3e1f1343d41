// The part of vox-convert that makes scenes of meshes.
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "tools/vox-convert/conversion.h"
#include "tools/vox-convert/options.h"

namespace vox {

// Reads, paints, chooses the palette, voxelizes; what it comes to goes into `conversion`.
dag::VoxelScene convert_meshes(const ConvertOptions& options, Conversion& conversion);

}  // namespace vox
