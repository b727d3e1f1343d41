// Reads NanoVDB's .nvdb, major version 32. It reads the active voxels of grids of all types, the materials of
// files that vox wrote, and the colours of RGBA8 grids.
#pragma once

#include <filesystem>

#include "formats/voxels/voxel_file.h"

namespace vox {

// Throws Error that names the file.
VoxelFile open_nvdb(const std::filesystem::path& path);

}  // namespace vox
