// Reads voxel files of other programs as scenes, by extension.
#pragma once

#include <filesystem>

#include "formats/voxels/voxel_file.h"

namespace vox {

bool is_voxels_path(const std::filesystem::path& path);

// Throws Error that names the file and the defect. The scene's source, generator, command and time stay
// empty.
ScenePlusError read_voxels(const std::filesystem::path& path, const VoxelFileOptions& options = {});

}  // namespace vox
