// The part of vox-convert that makes scenes of clouds of points.
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "tools/vox-convert/conversion.h"
#include "tools/vox-convert/options.h"

namespace vox {

// Whether the first input is a file of points.
bool is_points_input(const ConvertOptions& options);

// Reads all inputs, and fills the voxels in which points fall.
dag::VoxelScene convert_points(const ConvertOptions& options, Conversion& conversion);

}  // namespace vox
