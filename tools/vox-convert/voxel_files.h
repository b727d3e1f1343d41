// The part of vox-convert that makes scenes of other programs' files of voxels.
#pragma once

#include "formats/voxels/voxel_file.h"
#include "libvox/dag/voxel_scene.h"
#include "tools/vox-convert/conversion.h"
#include "tools/vox-convert/options.h"

namespace vox {

// True if the first input is another program's file of voxels.
bool is_voxels_input(const ConvertOptions& options);

// Reads it, and makes the level that --res asks for.
dag::VoxelScene convert_voxels(const ConvertOptions& options, Conversion& conversion);

// The way in which the colours of voxels or points become materials.
VoxelFileOptions voxel_file_options(const ConvertOptions& options);

}  // namespace vox
