// The part of vox-convert that makes scenes of other programs' files of voxels.
#pragma once

#include "formats/voxels/voxel_file.h"
#include "libvox/dag/voxel_scene.h"
#include "tools/vox-convert/conversion.h"
#include "tools/vox-convert/options.h"

namespace vox {

// Whether the first input is a file of voxels of another program.
bool is_voxels_input(const ConvertOptions& options);

// Reads it, and makes the level that --res asks for.
dag::VoxelScene convert_voxels(const ConvertOptions& options, Conversion& conversion);

// How the colours of a file of voxels, or of points, become materials.
VoxelFileOptions voxel_file_options(const ConvertOptions& options);

}  // namespace vox
