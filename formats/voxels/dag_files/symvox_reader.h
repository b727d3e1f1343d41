// Reads scenes of SymVox, .svdag and .ussvdag (formats/voxels/dag_files/symvox_file.h).
#pragma once

#include <filesystem>

#include "formats/voxels/dag_files/symvox_file.h"
#include "formats/voxels/voxel_file.h"

namespace vox {

// Such files have no materials. Throws Error that names the defect of the file.
ScenePlusError read_symvox(const std::filesystem::path& path, SymVoxKind kind,
                           const VoxelFileOptions& options);

}  // namespace vox
