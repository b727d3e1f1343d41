// Reads binvox, versions 1 and 2.
#pragma once

#include <filesystem>

#include "formats/voxels/voxel_file.h"

namespace vox {

// In version 2, values up to 16 are materials as write_binvox() writes them, whose colours the palette option
// supplies. If there are higher values, every value gets a colour of its own, which is matched to a palette.
// Throws Error that names the file.
VoxelFile open_binvox(const std::filesystem::path& path);

}  // namespace vox
