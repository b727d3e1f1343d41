// Reads binvox, versions 1 and 2.
#pragma once

#include <filesystem>

#include "formats/voxels/voxel_file.h"

namespace vox {

// Of version 2, values up to 16 are materials as write_binvox() writes them, whose colours --palette says; where
// there are higher ones, all values have colours of their own, which are matched. Throws Error that names the
// file.
VoxelFile open_binvox(const std::filesystem::path& path);

}  // namespace vox
