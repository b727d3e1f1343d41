// Reads other programs' files of voxels, by extension, as scenes.
#pragma once

#include <filesystem>

#include "formats/voxels/voxel_file.h"

namespace vox {

bool is_voxels_path(const std::filesystem::path& path);

// Throws Error that names the file and what in it is wrong. Source, generator, command and time are left empty.
ScenePlusError read_voxels(const std::filesystem::path& path, const VoxelFileOptions& options = {});

}  // namespace vox
