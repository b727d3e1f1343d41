// Reads NanoVDB's .nvdb, major version 32: which voxels are active, of grids of all types; materials of files that
// vox wrote, and the colours of RGBA8 grids.
#pragma once

#include <filesystem>

#include "formats/voxels/voxel_file.h"

namespace vox {

// Throws Error.
VoxelFile open_nvdb(const std::filesystem::path& path);

}  // namespace vox
